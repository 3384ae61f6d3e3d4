package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.OutcomeReason;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The laws of the queue under chance. A seed that fails is run alone with {@code -Dberth.seed=N}. */
class RandomRunTest {
    private static final int STEPS = 300;
    private static final int SEEDS = 300;

    static LongStream seeds() {
        Long only = Long.getLong("berth.seed");
        return only == null ? LongStream.rangeClosed(1, SEEDS) : LongStream.of(only);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theLawsHoldWhateverHappensAndEveryJobEndsOnceTheFaultsStop(long seed) {
        run(seed);
    }

    @Test
    void chanceSeesEveryKindOfEndAndManyRestarts() {
        List<RandomRun> runs =
                LongStream.rangeClosed(1, 100).mapToObj(RandomRunTest::run).toList();
        // A job that lost its GPUs is stopped only to be started anew, so none ends by that; arrays have a test of
        // their own.
        assertThat(runs.stream().flatMap(RandomRun::reasons))
                .contains(Arrays.stream(OutcomeReason.values())
                        .filter(reason -> reason != OutcomeReason.DEVICE_LOST && reason != OutcomeReason.TASKS_FAILED)
                        .toArray(OutcomeReason[]::new));
        assertThat(runs.stream().mapToInt(RandomRun::restarts).sum()).isGreaterThan(100);
    }

    private static RandomRun run(long seed) {
        RandomRun run = new RandomRun(seed);
        for (int step = 0; step < STEPS; step++) {
            run.step();
        }
        run.endWithoutFaults();
        return run;
    }
}
