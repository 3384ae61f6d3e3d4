package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Running;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A queue played through by hand: when a job starts at the latest. */
class ForecastTest {
    private static final Instant NOW = TestJobs.STARTED.plus(Duration.ofMinutes(10));

    @Test
    void whatFitsStartsNow() {
        Machine machine = Machine.idle(Capacities.gpus(2), 99).with(queued(1, 2, null));
        assertThat(Forecast.latestStart(machine, new JobId(1), NOW)).contains(NOW);
    }

    @Test
    void theHeadWaitsForTheEndThatIsKnown() {
        Machine machine = Machine.idle(Capacities.gpus(2), 99)
                .with(running(1, Duration.ofHours(1), 0, 1))
                .with(queued(2, 1, null));
        assertThat(Forecast.latestStart(machine, new JobId(2), NOW))
                .contains(TestJobs.STARTED.plus(Duration.ofHours(1)));
    }

    @Test
    void aProgramWithoutALimitLeavesItUnknown() {
        Machine machine =
                Machine.idle(Capacities.gpus(1), 99).with(running(1, null, 0)).with(queued(2, 1, null));
        assertThat(Forecast.latestStart(machine, new JobId(2), NOW)).isEmpty();
    }

    @Test
    void aProgramWithoutALimitIsNoMatterWhereOthersGiveEnough() {
        Machine machine = Machine.idle(Capacities.gpus(2), 99)
                .with(running(1, null, 0))
                .with(running(2, Duration.ofHours(2), 1))
                .with(queued(3, 1, null));
        assertThat(Forecast.latestStart(machine, new JobId(3), NOW))
                .contains(TestJobs.STARTED.plus(Duration.ofHours(2)));
    }

    @Test
    void thoseAheadRunFirstAndOneAfterTheOther() {
        Machine machine = Machine.idle(Capacities.gpus(1), 99)
                .with(running(1, Duration.ofHours(1), 0))
                .with(queued(2, 1, Duration.ofHours(3)))
                .with(queued(3, 1, Duration.ofHours(5)))
                .with(queued(4, 1, null));
        assertThat(Forecast.latestStart(machine, new JobId(4), NOW))
                .contains(TestJobs.STARTED.plus(Duration.ofHours(9)));
    }

    @Test
    void nobodyOvertakesAHeadThatDoesNotFit() {
        Machine machine = Machine.idle(Capacities.gpus(2), 99)
                .with(running(1, Duration.ofHours(1), 0))
                .with(queued(2, 2, Duration.ofHours(1)))
                .with(queued(3, 1, null));
        assertThat(Forecast.latestStart(machine, new JobId(3), NOW))
                .contains(TestJobs.STARTED.plus(Duration.ofHours(2)));
    }

    @Test
    void whoIsOverdueEndsNow() {
        Machine machine = Machine.idle(Capacities.gpus(1), 99)
                .with(running(1, Duration.ofMinutes(5), 0))
                .with(queued(2, 1, null));
        assertThat(Forecast.latestStart(machine, new JobId(2), NOW)).contains(NOW);
    }

    @Test
    void aPausedServerForetellsNothing() {
        Machine machine =
                Machine.idle(Capacities.gpus(1), 99).with(queued(2, 1, null)).with(new Starts.Paused("root", NOW));
        assertThat(Forecast.latestStart(machine, new JobId(2), NOW)).isEmpty();
    }

    @Test
    void aWorkerIsWaitedForAsAGpuIs() {
        Machine machine = Machine.idle(Capacities.of(4, 1, 0), 99)
                .with(running(1, Duration.ofHours(1), 0))
                .with(queued(2, 1, null));
        assertThat(Forecast.latestStart(machine, new JobId(2), NOW))
                .contains(TestJobs.STARTED.plus(Duration.ofHours(1)));
    }

    private static Job queued(long id, int gpus, @Nullable Duration limit) {
        return TestJobs.job(
                id, TestJobs.spec(gpus, limit), TestJobs.queued(id, gpus).state());
    }

    private static Job running(long id, @Nullable Duration limit, int... gpus) {
        return TestJobs.job(
                id, TestJobs.spec(gpus.length, limit), new Running(1, TestJobs.allocation(gpus), TestJobs.STARTED));
    }
}
