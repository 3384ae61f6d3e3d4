package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The laws of packs under chance: what is checked stands in {@link PackRun} and {@link PackEngine}. */
class PackRunTest {
    private static final int SEEDS = 400;
    private static final int STEPS = 400;

    /** A seed that fails is run alone with {@code -Dberth.seed=N}. */
    @Test
    void everyTaskOfEveryPackRunsOnceAnAttemptAndEnds() {
        Long only = Long.getLong("berth.seed");
        LongStream seeds = only == null ? LongStream.rangeClosed(1, SEEDS) : LongStream.of(only);
        assertThat(seeds.mapToInt(PackRunTest::run).sum())
                .as("programs that were begun")
                .isGreaterThan(only == null ? SEEDS * 20 : 0);
    }

    private static int run(long seed) {
        PackRun run = new PackRun(seed);
        try {
            for (int step = 0; step < STEPS; step++) {
                run.step();
            }
            run.endWithoutFaults();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        return run.starts();
    }
}
