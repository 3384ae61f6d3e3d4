package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A queue played through by hand: when a job starts at the latest, and where nobody can tell. */
class ForecastTest {
    private static final Instant NOW = TestJobs.STARTED.plus(Duration.ofMinutes(10));
    private static final Duration HOUR = Duration.ofHours(1);

    /** The longest time from the end of a time limit until others can have the GPUs. */
    private static final Duration FREEING = Duration.ofSeconds(40);

    private static final Duration LAUNCH = Forecast.LAUNCH;

    /** One GPU, which a job has until the end of its time limit. */
    private static final Machine ONE = on(1, running(1, HOUR, 0));

    /** When the next one starts then. */
    private static final Instant NEXT =
            TestJobs.STARTED.plus(HOUR).plus(FREEING).plus(LAUNCH);

    @Test
    void theHeadWaitsForTheStopAtTheEndOfATimeLimitAndForItsOwnLaunch() {
        assertThat(latest(ONE.with(queued(2, 1, null)), 2)).contains(NEXT);
    }

    @Test
    void aJobThatFitsHasItsLaunchBeforeIt() {
        Machine machine = on(2, queued(1, 2, null));
        assertThat(latest(machine, 1)).contains(NOW.plus(LAUNCH));
    }

    @Test
    void aProgramWithoutALimitLeavesItUnknown() {
        assertThat(latest(on(1, running(1, null, 0), queued(2, 1, null)), 2)).isEmpty();
    }

    @Test
    void aProgramWithoutALimitIsNoMatterWhereOthersGiveEnough() {
        Machine machine = on(2, running(1, null, 0), running(2, HOUR, 1), queued(3, 1, null));
        assertThat(latest(machine, 3)).contains(NEXT);
    }

    @Test
    void aQueuedJobWithoutALimitLeavesThoseBehindItUnknown() {
        Machine machine = ONE.with(queued(2, 1, null)).with(queued(3, 1, HOUR));
        assertThat(latest(machine, 2)).contains(NEXT);
        assertThat(latest(machine, 3)).isEmpty();
    }

    @Test
    void eachJobAheadIsLaunchedRunsAndIsStopped() {
        Machine machine = ONE.with(queued(2, 1, HOUR))
                .with(queued(3, 1, HOUR.multipliedBy(5)))
                .with(queued(4, 1, null));
        Duration twice = LAUNCH.plus(FREEING).multipliedBy(2);
        assertThat(latest(machine, 4)).contains(NEXT.plus(HOUR.multipliedBy(6)).plus(twice));
    }

    @Test
    void aGraceOfAJobsOwnIsWaitedForToo() {
        Duration grace = Duration.ofMinutes(7);
        JobSpec spec = TestJobs.spec(1, new Limits(HOUR, null, null, grace));
        Job runs = TestJobs.job(1, spec, new Running(1, TestJobs.allocation(0), TestJobs.STARTED));
        Job waits = TestJobs.job(2, spec, new Queued(1, new ImageState.Ready(TestJobs.IMAGE_ID)));
        assertThat(latest(on(1, runs, queued(2, 1, null)), 2))
                .contains(TestJobs.STARTED.plus(HOUR).plus(FREEING).plus(grace).plus(LAUNCH));
        assertThat(latest(ONE.with(waits).with(queued(3, 1, null)), 3))
                .contains(NEXT.plus(LAUNCH).plus(HOUR).plus(FREEING).plus(grace));
    }

    @Test
    void nobodyOvertakesAHeadThatDoesNotFit() {
        Machine machine = on(2, running(1, HOUR, 0), queued(2, 2, HOUR), queued(3, 1, null));
        assertThat(latest(machine, 3)).contains(NEXT.plus(HOUR).plus(FREEING).plus(LAUNCH));
    }

    @Test
    void theGpusOfEachJobAheadAreLookedAtFirst() {
        Machine machine = on(3, running(1, HOUR, 0, 1, 2), queued(2, 1, null), queued(3, 1, null), queued(4, 1, null));
        assertThat(latest(machine, 4)).contains(NEXT.plus(Forecast.LOOK.multipliedBy(2)));
    }

    @Test
    void aJobWithoutGpusIsNotLookedAt() {
        Machine machine = Machine.idle(Capacities.of(0, 3, 0), 99)
                .with(queued(1, 0, null))
                .with(queued(2, 0, null));
        assertThat(latest(machine, 2)).contains(NOW.plus(LAUNCH));
    }

    @Test
    void theLaunchesOfThoseAheadAreWaitedForWhereJobsStartOneByOne() {
        Machine machine = Machine.idle(Capacities.ordered(3, new QueueRules(false, true, false)), 99)
                .with(job(1, 1, HOUR, new Creating(1, TestJobs.IMAGE_ID, TestJobs.allocation(0))))
                .with(queued(2, 1, null))
                .with(queued(3, 1, null));
        assertThat(latest(machine, 2)).contains(NOW.plus(LAUNCH.multipliedBy(2)));
        assertThat(latest(machine, 3)).contains(NOW.plus(LAUNCH.multipliedBy(3)));
    }

    @Test
    void aJobThatIsBeingLaunchedHasItsWholeTimeBeforeIt() {
        Instant next = NOW.plus(LAUNCH).plus(HOUR).plus(FREEING).plus(LAUNCH);
        Creating creating = new Creating(1, TestJobs.IMAGE_ID, TestJobs.allocation(0), true);
        assertThat(latest(on(1, job(1, 1, HOUR, creating), queued(2, 1, null)), 2))
                .contains(next);
        Starting starting = new Starting(1, TestJobs.IMAGE_ID, TestJobs.allocation(0), TestJobs.ENGINE);
        assertThat(latest(on(1, job(1, 1, HOUR, starting), queued(2, 1, null)), 2))
                .contains(next);
        Starting asked = starting.countedFrom(NOW.minusSeconds(5));
        assertThat(latest(on(1, job(1, 1, HOUR, asked), queued(2, 1, null)), 2)).contains(next.minusSeconds(5));
    }

    @Test
    void whileTheGpusOfTheOneBeforeAreLookedAtItIsNotNow() {
        Machine machine =
                on(2, job(1, 1, HOUR, new Creating(1, TestJobs.IMAGE_ID, TestJobs.allocation(0))), queued(2, 1, null));
        assertThat(latest(machine, 2)).contains(NOW.plus(Forecast.LOOK).plus(LAUNCH));
    }

    /** It may become ready at any time, and is before those behind it then. */
    @Test
    void behindAJobThatWaitsForAnotherNobodyCanTell() {
        Machine machine = ONE.with(queued(3, 1, null));
        JobId before = new JobId(2);
        assertThat(latest(deferred(machine, before, before, null), 3)).isEmpty();
        JobId behind = new JobId(4);
        assertThat(latest(deferred(machine, behind, behind, NOW), 3)).contains(NEXT);
        SortedMap<JobId, StateName> ended = new TreeMap<>(Map.of(new JobId(1), StateName.COMPLETED));
        DeferredJobs unread = DeferredJobs.of(true, ended, new DeferredJobs.Earliest(null, null, null));
        assertThat(latest(machine.with(unread), 3)).isEmpty();
    }

    @Test
    void aJobThatWaitsForALaterDateIsNoMatter() {
        Machine machine = ONE.with(queued(3, 1, null));
        JobId before = new JobId(2);
        assertThat(latest(deferred(machine, before, null, NEXT), 3)).isEmpty();
        assertThat(latest(deferred(machine, before, null, NEXT.plusNanos(1)), 3))
                .contains(NEXT);
        assertThat(latest(deferred(machine, before, new JobId(4), NEXT.plusNanos(1)), 3))
                .contains(NEXT);
    }

    private static Machine deferred(
            Machine machine, @Nullable JobId job, @Nullable JobId dependent, @Nullable Instant begin) {
        return machine.with(DeferredJobs.of(true, new TreeMap<>(), new DeferredJobs.Earliest(job, dependent, begin)));
    }

    @Test
    void aWorkerIsWaitedForAsAGpuIs() {
        Machine machine = Machine.idle(Capacities.of(4, 1, 0), 99)
                .with(running(1, HOUR, 0))
                .with(queued(2, 1, null));
        assertThat(latest(machine, 2)).contains(NEXT);
    }

    @Test
    void aJobThatShouldBeOverLeavesItUnknown() {
        Duration limit = Duration.between(TestJobs.STARTED, NOW).minus(FREEING);
        assertThat(latest(on(1, running(1, limit, 0), queued(2, 1, null)), 2)).isEmpty();
        Instant end = NOW.plusNanos(1);
        assertThat(latest(on(1, running(1, limit.plusNanos(1), 0), queued(2, 1, null)), 2))
                .contains(end.plus(LAUNCH));
    }

    @Test
    void aStopAtATimeLimitEndsAsWasForeseen() {
        Stopping stopping = stopping(new StopCause.TimeLimit());
        Machine machine = on(1, job(1, 1, Duration.ofMinutes(10), stopping), queued(2, 1, null));
        assertThat(latest(machine, 2)).contains(NOW.plus(FREEING).plus(LAUNCH));
        assertThat(latest(machine, 2, NOW.plus(FREEING), _ -> true)).isEmpty();
    }

    @Test
    void aStopThatAServerBeginsAnewHasAllItsTimeFromThen() {
        Instant since = NOW.minusSeconds(5);
        Stopping stopping = stopping(new StopCause.TimeLimit());
        Machine machine = on(1, job(1, 1, Duration.ofMinutes(1), stopping), queued(2, 1, null));
        assertThat(latest(machine, 2, NOW, served(since)))
                .contains(since.plus(FREEING).plus(LAUNCH));
        assertThat(latest(machine, 2, since.plus(FREEING), served(since))).isEmpty();
        Machine running = on(1, running(1, Duration.ofMinutes(1), 0), queued(2, 1, null));
        assertThat(latest(running, 2, NOW, served(since)))
                .contains(since.plus(FREEING).plus(LAUNCH));
    }

    @Test
    void aStartThatAServerBeginsAnewHasAllItsTimeFromThen() {
        Instant since = NOW.minusSeconds(5);
        Starting starting = new Starting(1, TestJobs.IMAGE_ID, TestJobs.allocation(0), TestJobs.ENGINE)
                .countedFrom(NOW.minusSeconds(500));
        assertThat(latest(on(1, job(1, 1, HOUR, starting), queued(2, 1, null)), 2, NOW, served(since)))
                .contains(since.plus(LAUNCH).plus(HOUR).plus(FREEING).plus(LAUNCH));
    }

    @Test
    void aCancelledJobEndsByItsTimeLimitOrNobodyKnows() {
        Stopping stopping = stopping(new StopCause.Cancelled("ada"));
        assertThat(latest(on(1, job(1, 1, null, stopping), queued(2, 1, null)), 2))
                .isEmpty();
        assertThat(latest(on(1, job(1, 1, HOUR, stopping), queued(2, 1, null)), 2))
                .contains(NEXT);
        Stopping unstarted = new Stopping(1, TestJobs.allocation(0), null, new StopCause.Cancelled("ada"));
        assertThat(latest(on(1, job(1, 1, HOUR, unstarted), queued(2, 1, null)), 2))
                .isEmpty();
    }

    @Test
    void aJobThatLostItsGpusGoesBackBeforeAllThatWait() {
        Stopping stopping = stopping(new StopCause.DeviceLost("GPU 0 is gone"));
        assertThat(latest(on(1, job(1, 1, HOUR, stopping), queued(2, 1, null)), 2))
                .isEmpty();
    }

    /** A head that waits for the GPUs that something has or nobody can have. */
    static List<Machine> machinesWithoutForecast() {
        Machine free = on(2, queued(2, 2, null));
        GpuConditions good = free.gpus();
        SortedMap<Attempt, List<GpuId>> orphans = new TreeMap<>();
        orphans.put(new Attempt(new JobId(7), 1), List.of(TestJobs.gpu(1)));
        return List.of(
                free.with(good.with(TestJobs.gpu(1), new Drain("root", "tests", NOW))),
                free.with(good.with(obstacle(new Obstacle.Foreign("process 4711 is on it")), null)),
                free.with(good.with(obstacle(new Obstacle.Sick("it does not tell")), null)),
                free.with(good.with(new TreeMap<>(), "safe-gpu's lock is held")),
                free.with(good.withCleaning(new Attempt(new JobId(1), 1), TestJobs.allocation(1))),
                free.withOrphans(orphans),
                free.with(new Starts.Paused("root", NOW)),
                free.with(new Starts.Stopping()),
                on(2, TestJobs.pending(2, 2)),
                on(2, queued(2, 3, null)),
                on(2, TestJobs.job(2, TestJobs.spec(2), new JobState.Held(1, new ImageState.Pending(), "ada", NOW))));
    }

    @ParameterizedTest
    @MethodSource("machinesWithoutForecast")
    void nobodyCanTell(Machine machine) {
        assertThat(latest(machine, 2)).isEmpty();
    }

    @Test
    void anImageThatIsNotHereHoldsUpAllBehindIt() {
        Machine machine = on(4, TestJobs.pending(1, 1), queued(2, 1, null));
        assertThat(latest(machine, 2)).isEmpty();
        Machine passing = Machine.idle(Capacities.ordered(4, new QueueRules(true, false, false)), 99)
                .with(TestJobs.pending(1, 1))
                .with(queued(2, 1, null));
        assertThat(latest(passing, 2)).isEmpty();
    }

    @Test
    void aGpuThatTheJobDoesNotNeedIsNoMatter() {
        Machine machine = on(3, running(1, HOUR, 0), running(2, null, 1), queued(3, 1, null));
        GpuConditions drained = machine.gpus().with(TestJobs.gpu(2), new Drain("root", "tests", NOW));
        assertThat(latest(machine.with(drained), 3)).contains(NEXT);
    }

    @Test
    void aGpuThatIsDrainedUnderAJobDoesNotComeFreeWithIt() {
        GpuConditions drained = ONE.gpus().with(TestJobs.gpu(0), new Drain("root", "tests", NOW));
        assertThat(latest(ONE.with(drained).with(queued(2, 1, null)), 2)).isEmpty();
        assertThat(latest(ONE.with(drained).with(queued(2, 1, null)).with(queued(3, 0, null)), 3))
                .isEmpty();
    }

    @Test
    void aLockIsNoMatterForAJobWithoutGpus() {
        Machine machine = Machine.idle(Capacities.of(1, 1, 1), 99).with(queued(1, 1, null));
        Machine locked =
                machine.with(machine.gpus().with(new TreeMap<>(), "it is held")).with(queued(2, 0, null));
        assertThat(latest(locked, 1)).isEmpty();
        assertThat(latest(locked, 2)).contains(NOW.plus(LAUNCH));
    }

    @Test
    void nobodyCanTellWhatAnEngineThatIsAwayDoes() {
        Machine machine = ONE.with(queued(2, 1, HOUR)).with(queued(3, 1, null));
        assertThat(latest(machine, 3)).isPresent();
        for (long id = 1; id <= 3; id++) {
            JobId unserved = new JobId(id);
            assertThat(latest(machine, 3, NOW, job -> !job.id().equals(unserved)))
                    .as("job %s is not served", unserved)
                    .isEmpty();
        }
    }

    @Test
    void aLaunchThatIsStuckHoldsUpThoseBehindIt() {
        Machine machine =
                on(2, job(1, 1, HOUR, new Creating(1, TestJobs.IMAGE_ID, TestJobs.allocation(0))), queued(2, 1, null));
        assertThat(latest(machine, 2, NOW, job -> job.id().value() != 1)).isEmpty();
    }

    @Test
    void aLaneHasItsOwnWorkersAndQueue() {
        Machine machine = Machine.idle(Capacities.of(1, 1, 1), 99)
                .with(running(1, null, 0))
                .with(TestJobs.pending(2, 1))
                .with(queued(3, 0, null));
        assertThat(latest(machine, 3)).contains(NOW.plus(LAUNCH));
    }

    private static Job packs(long id, Packing packing, Retry retry) {
        JobSpec spec =
                TestJobs.spec(1, HOUR).with(Tasks.parse("0-4").with(packing)).with(retry);
        return TestJobs.job(id, spec, new Queued(1, new ImageState.Ready(TestJobs.IMAGE_ID)));
    }

    @Test
    void thePacksOfAnArrayAheadTakeTheTurnsOfTheirTasks() {
        Duration turn = HOUR.plus(Duration.ofMinutes(1));
        Duration around = LAUNCH.plus(FREEING).multipliedBy(3);
        Machine one = ONE.with(packs(2, new Packing(2, 1), Retry.NONE)).with(queued(20, 1, null));
        assertThat(latest(one, 2)).contains(NEXT);
        assertThat(latest(one, 20)).contains(NEXT.plus(turn.multipliedBy(5)).plus(around));
        Machine two = ONE.with(packs(2, new Packing(2, 2), Retry.NONE)).with(queued(20, 1, null));
        assertThat(latest(two, 20)).contains(NEXT.plus(turn.multipliedBy(3)).plus(around));
    }

    @Test
    void nobodyCanTellWhatComesBehindAPackWhoseTasksMayBeRetried() {
        for (Retry retry : List.of(Retry.NONE, new Retry(1, RetryCauses.USUAL, RetryDelay.NONE, false))) {
            Job pack = packs(2, new Packing(5, 1), retry)
                    .nextPack()
                    .with(new Running(1, TestJobs.allocation(0), TestJobs.STARTED));
            assertThat(latest(on(1, pack, queued(20, 1, null)), 20).isPresent()).isEqualTo(retry.equals(Retry.NONE));
        }
    }

    private static final Instant SOON = NOW.plus(Duration.ofMinutes(5));

    @Test
    void anExpectedEndGivesAnExpectedStart() {
        Machine one = on(1, running(1, null, 0), queued(2, 1, null), queued(3, 1, null));
        assertThat(expected(one, 2, Map.of(1L, SOON))).contains(SOON);
        assertThat(latest(one, 2)).isEmpty();
        assertThat(expected(one, 3, Map.of(1L, SOON)))
                .as("nobody knows how long the next one runs")
                .isEmpty();
    }

    @Test
    void anExpectedStartIsBeforeTheLatest() {
        Machine one = ONE.with(queued(2, 1, HOUR)).with(queued(3, 1, null));
        assertThat(expected(one, 2, Map.of(1L, SOON))).contains(SOON);
        assertThat(latest(one, 2)).contains(NEXT);
        assertThat(expected(one, 3, Map.of(1L, SOON)))
                .contains(SOON.plus(LAUNCH).plus(HOUR).plus(FREEING));
    }

    @Test
    void nothingIsExpectedWhereNoEndOfThatMatters() {
        assertThat(expected(ONE.with(queued(2, 1, null)), 2, Map.of())).isEmpty();
        assertThat(expected(ONE.with(queued(2, 1, null)), 2, Map.of(1L, NEXT.plus(HOUR))))
                .as("its time limit ends it before")
                .isEmpty();
        Machine two = on(2, running(1, null, 0), running(2, HOUR, 1), queued(3, 1, null));
        assertThat(expected(two, 3, Map.of(1L, NEXT.plus(HOUR)))).isEmpty();
        assertThat(expected(on(2, running(1, null, 0), queued(2, 1, null)), 2, Map.of(1L, SOON)))
                .as("it fits now")
                .isEmpty();
    }

    @Test
    void aProgramThatIsBeingStoppedTellsNoEnd() {
        Job stops = job(1, 1, null, stopping(new StopCause.Cancelled("ada")));
        assertThat(expected(on(1, stops, queued(2, 1, null)), 2, Map.of(1L, SOON)))
                .isEmpty();
    }

    @Test
    void whatMayBeRetriedIsExpectedNotToFail() {
        Job retried = TestJobs.job(
                1,
                TestJobs.spec(1, (Duration) null).with(new Retry(1, RetryCauses.USUAL, RetryDelay.NONE, false)),
                new Running(1, TestJobs.allocation(0), TestJobs.STARTED));
        assertThat(expected(on(1, retried, queued(2, 1, null)), 2, Map.of(1L, SOON)))
                .contains(SOON);
    }

    @Test
    void nothingIsExpectedOfAJobThatNobodyServes() {
        Machine one = on(1, running(1, null, 0), queued(2, 1, null));
        Forecast.Assumptions away =
                new Forecast.Assumptions(FREEING, job -> job.id().value() != 1, _ -> Instant.EPOCH);
        assertThat(Forecast.expectedStart(one, new JobId(2), NOW, away, Map.of(new JobId(1), SOON)))
                .isEmpty();
    }

    private static Optional<Instant> expected(Machine machine, long id, Map<Long, Instant> ends) {
        Map<JobId, Instant> byJob = new TreeMap<>();
        ends.forEach((job, end) -> byJob.put(new JobId(job), end));
        return Forecast.expectedStart(machine, new JobId(id), NOW, served(Instant.EPOCH), byJob);
    }

    private static Optional<Instant> latest(Machine machine, long id) {
        return latest(machine, id, NOW, _ -> true);
    }

    private static Optional<Instant> latest(Machine machine, long id, Instant now, Predicate<Job> isServed) {
        return latest(machine, id, now, new Forecast.Assumptions(FREEING, isServed, _ -> Instant.EPOCH));
    }

    private static Forecast.Assumptions served(Instant since) {
        return new Forecast.Assumptions(FREEING, _ -> true, _ -> since);
    }

    private static Optional<Instant> latest(Machine machine, long id, Instant now, Forecast.Assumptions assumptions) {
        Optional<Instant> latest = Forecast.latestStart(machine, new JobId(id), now, assumptions);
        latest.ifPresent(start -> assertThat(start).isAfter(now).isCloseTo(now, within(9, ChronoUnit.HOURS)));
        return latest;
    }

    private static Machine on(int gpus, Job... jobs) {
        return Stream.of(jobs).reduce(Machine.idle(Capacities.gpus(gpus), 99), Machine::with, (_, last) -> last);
    }

    private static SortedMap<GpuId, Obstacle> obstacle(Obstacle obstacle) {
        SortedMap<GpuId, Obstacle> obstacles = new TreeMap<>();
        obstacles.put(TestJobs.gpu(1), obstacle);
        return obstacles;
    }

    private static Stopping stopping(StopCause cause) {
        return new Stopping(1, TestJobs.allocation(0), TestJobs.STARTED, cause);
    }

    private static Job queued(long id, int gpus, @Nullable Duration limit) {
        return job(id, gpus, limit, new Queued(1, new ImageState.Ready(TestJobs.IMAGE_ID)));
    }

    private static Job running(long id, @Nullable Duration limit, int... gpus) {
        return job(id, gpus.length, limit, new Running(1, TestJobs.allocation(gpus), TestJobs.STARTED));
    }

    private static Job job(long id, int gpus, @Nullable Duration limit, JobState state) {
        return TestJobs.job(id, TestJobs.spec(gpus, limit), state);
    }
}
