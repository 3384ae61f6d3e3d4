package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Random shares, GPUs, cores, memory and rules, first in, first out; what is checked stands in {@link ShareRun}. */
class ShareFifoTest {
    private static final int SEQUENCES = 10_000;
    private static final int STEPS = 12;

    /** A seed that fails is run alone with {@code -Dberth.seed=N}. */
    @Test
    void noGpuAndNoCoreIsGivenOutTwiceAndNobodyWaitsForNothing() {
        Long only = Long.getLong("berth.seed");
        int starts = 0;
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SEQUENCES : only); seed++) {
            starts += run(seed);
        }
        assertThat(starts).as("starts").isGreaterThan(only == null ? SEQUENCES * STEPS / 10 : 0);
    }

    private static int run(long seed) {
        ShareRun run = new ShareRun(seed);
        try {
            for (int step = 0; step < STEPS; step++) {
                run.step();
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        return run.starts();
    }
}
