package dev.berth.core.machine;

import static dev.berth.core.machine.TestJobs.ADA;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Packed;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ImageRefused;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.JobEvent.TimeLimitReached;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PacksTest {
    private static final CancelRequested CANCEL = new CancelRequested(ADA.name());

    /** The number of the array; those of its tasks follow, and then those of its packs. */
    private static final long ARRAY = 1;

    private static JobSpec packs(String tasks, int size, int parallel) {
        return packs(TestJobs.spec(1), tasks, size, parallel);
    }

    private static JobSpec packs(JobSpec each, String tasks, int size, int parallel) {
        return each.with(Tasks.parse(tasks).with(new Packing(size, parallel)));
    }

    private static TestScheduler with(int gpus, JobSpec array) {
        TestScheduler scheduler = TestScheduler.on(Capacities.gpus(gpus));
        scheduler.submitArray(array);
        return scheduler;
    }

    private static void begins(TestScheduler scheduler, long task) {
        scheduler.tell(task, new RunStarted(1, scheduler.now()));
    }

    private static Step ends(TestScheduler scheduler, long task, int code) {
        return scheduler.tell(task, new RunExited(1, code, false, scheduler.now(), scheduler.now()));
    }

    /** The container of a pack runs each of its tasks, and ends. */
    private static void runs(TestScheduler scheduler, long pack) {
        scheduler.starts(pack);
        for (Job task : scheduler.inPack(pack)) {
            begins(scheduler, task.id().value());
            ends(scheduler, task.id().value(), 0);
        }
        scheduler.exits(pack);
        scheduler.released(pack);
    }

    /** What the loop does with what is asked of an array. */
    private static Step cancelAll(TestScheduler scheduler) {
        Step all = scheduler.tell(ARRAY, CANCEL);
        List<Job> parts = scheduler.stored().stream()
                .filter(job -> job.id().value() > ARRAY
                        && job.id().value() <= scheduler.job(ARRAY).lastId())
                .filter(job -> !(job.state() instanceof Finished))
                .toList();
        Stream<Job> packsFirst =
                Stream.concat(parts.stream().filter(Job::isPack), parts.stream().filter(part -> !part.isPack()));
        for (Job part : packsFirst.toList()) {
            all = all.then(scheduler.tell(part.id().value(), CANCEL));
        }
        return all;
    }

    private static Finished end(TestScheduler scheduler, long id) {
        return (Finished) scheduler.job(id).state();
    }

    private static String sentence(TestScheduler scheduler, long id) {
        return end(scheduler, id).outcome().sentence();
    }

    @Test
    void packsAreCutByThePositionOfTheirTasksAndTakeOneTurnEach() {
        TestScheduler scheduler = with(1, packs("3,7-9,20", 2, 1));
        Job behind = scheduler.submit(1);

        assertThat(behind.id().value()).isEqualTo(10);
        assertThat(scheduler.live()).containsExactly(7L);
        assertThat(scheduler.job(7).number()).isEqualTo("1_[3,7]");
        assertThat(scheduler.job(2).state()).isEqualTo(Packed.WAITING);
        assertThat(scheduler.job(3).number()).isEqualTo("1_7");
        assertThat(scheduler.job(3).pack()).isEqualTo(new JobId(7));
        assertThat(scheduler.job(1).waiting()).hasToString("8-9,20");
        runs(scheduler, 7);
        assertThat(scheduler.job(8).number()).isEqualTo("1_[8-9]");
        runs(scheduler, 8);
        assertThat(scheduler.job(9).number()).as("the last, smaller one").isEqualTo("1_[20]");
        assertThat(scheduler.job(1).state()).isInstanceOf(Dispatched.class);
        runs(scheduler, 9);
        assertThat(scheduler.startOrder()).containsExactly(7L, 8L, 9L, 10L);
        assertThat(sentence(scheduler, ARRAY)).isEqualTo("all its 5 tasks have COMPLETED");
    }

    @Test
    void anArrayEndsWithTheLastOfItsTasksAndNotWithItsPack() {
        TestScheduler scheduler = with(1, packs("0-1", 4, 2));
        scheduler.starts(4);
        begins(scheduler, 2);
        begins(scheduler, 3);
        ends(scheduler, 2, 3);
        assertThat(scheduler.state(ARRAY)).isEqualTo(StateName.RUNNING);
        ends(scheduler, 3, 0);

        assertThat(scheduler.state(4)).isEqualTo(StateName.RUNNING);
        assertThat(sentence(scheduler, ARRAY))
                .isEqualTo("1 of its 2 tasks COMPLETED, 1 FAILED; berth ps --tasks 1 shows them");
        scheduler.exits(4);
        assertThat(scheduler.released(4).changes()).isEmpty();
    }

    @Test
    void aTaskThatBecameAJobOfItsOwnBeforeItsTurnIsLeftOutAndRunsAlone() {
        TestScheduler scheduler = TestScheduler.on(Capacities.gpus(1));
        Job first = scheduler.submit(1);
        scheduler.submitArray(packs("0-7", 3, 1));
        long array = first.id().value() + 1;
        scheduler.tellTask(array, 1, CANCEL);
        scheduler.step(new Input.TaskAwaited(scheduler.now(), scheduler.job(array), 4, 0));
        for (int index : List.of(6, 7)) {
            scheduler.tellTask(array, index, new HoldRequested(ADA.name()));
        }
        scheduler.exits(first.id().value());

        assertThat(scheduler.live()).containsExactly(scheduler.task(array, 4));
        scheduler.exits(scheduler.task(array, 4));
        assertThat(scheduler.job(scheduler.live().getFirst()).number()).isEqualTo("2_[0,2]");
        runs(scheduler, scheduler.live().getFirst());
        assertThat(scheduler.job(scheduler.live().getFirst()).number()).isEqualTo("2_[3,5]");
        assertThat(scheduler.job(array).state()).isInstanceOf(Dispatched.class);
        runs(scheduler, scheduler.live().getFirst());
        for (int index : List.of(6, 7)) {
            scheduler.tellTask(array, index, new ReleaseRequested(ADA.name()));
            assertThat(scheduler.live()).containsExactly(scheduler.task(array, index));
            scheduler.exits(scheduler.task(array, index));
        }
        assertThat(sentence(scheduler, array))
                .isEqualTo("7 of its 8 tasks COMPLETED, 1 CANCELLED; berth ps --tasks 2 shows them");
    }

    @Test
    void aPackThatIsBackInTheQueueComesBeforeLaterPacksAndLaterJobs() {
        TestScheduler scheduler = with(1, packs("0-5", 2, 1));
        scheduler.submit(1);
        scheduler.tell(8, new ImageVanished(1));

        assertThat(scheduler.state(8)).isEqualTo(StateName.QUEUED);
        assertThat(scheduler.live()).as("its image is looked for").isEmpty();
        assertThat(scheduler.inPack(8)).hasSize(2);
        scheduler.imageArrives(8);
        assertThat(scheduler.live()).containsExactly(8L);
        assertThat(scheduler.job(8).state().attempt()).isEqualTo(2);
        runs(scheduler, 8);
        assertThat(end(scheduler, 2).attempt()).isEqualTo(1);
        runs(scheduler, 9);
        runs(scheduler, 10);
        assertThat(scheduler.startOrder()).containsExactly(8L, 8L, 9L, 10L, 11L);
    }

    @Test
    void aPackWhoseGpusAreTakenGoesBackToItsPlace() {
        TestScheduler scheduler = TestScheduler.on(Capacities.gpus(1)).undecided();
        scheduler.submitArray(packs("0-3", 2, 1));
        scheduler.tell(6, new GpusTaken(1, "somebody has them"));

        assertThat(scheduler.live()).containsExactly(6L);
        assertThat(scheduler.job(1).waiting()).hasToString("2-3");
    }

    @Test
    void aPackCountsForAThrottleAsManyTasksAsItRunsAtTheSameTime() {
        TestScheduler scheduler = with(8, packs("0-15%4", 4, 2));
        Job behind = scheduler.submit(1);

        assertThat(scheduler.live()).containsExactly(18L, 19L, behind.id().value());
        assertThat(Waiting.of(scheduler.machine(), scheduler.job(1), 0, Optional.empty()))
                .isEqualTo(new Waiting(
                        QueueReason.ARRAY_THROTTLE,
                        "4 of its tasks run, as many as may at the same time; it keeps its place and holds nobody up"));
        runs(scheduler, 18);
        assertThat(scheduler.live()).containsExactly(19L, 20L, behind.id().value());
    }

    @Test
    void aPackWaitsUntilAllThatItRunsAtTheSameTimeMayRun() {
        TestScheduler scheduler = with(8, packs("0-8%3", 4, 2));

        assertThat(scheduler.live()).containsExactly(11L);
        assertThat(Waiting.of(scheduler.machine(), scheduler.job(1), 0, Optional.empty())
                        .sentence())
                .isEqualTo("2 of its tasks run, and with its next pack it would be more than the 3 that may at the same"
                        + " time; it keeps its place and holds nobody up");
        runs(scheduler, 11);
        assertThat(scheduler.live()).as("the last has one task").containsExactly(12L, 13L);
    }

    @Test
    void aThrottleOfPacksHoldsOverARestart() {
        TestScheduler scheduler = with(4, packs("0-7%3", 2, 2));
        TestScheduler next = scheduler.again(Capacities.gpus(4));
        next.readQueue(Lane.MAIN);

        assertThat(next.live()).containsExactly(10L);
        runs(next, 10);
        assertThat(next.live()).containsExactly(11L);
    }

    @Test
    void aTaskInAPackStandsAsItsOwnProgramDoes() {
        TestScheduler scheduler = with(1, packs("0-3", 4, 2));
        assertThat(scheduler.state(2)).isEqualTo(StateName.QUEUED);
        scheduler.starts(6);
        begins(scheduler, 2);
        begins(scheduler, 3);
        assertThat(scheduler.state(2)).isEqualTo(StateName.RUNNING);
        assertThat(scheduler.state(4)).isEqualTo(StateName.QUEUED);
        Step step = ends(scheduler, 2, 3);

        assertThat(step.effects()).as("its container is its pack's").isEmpty();
        assertThat(scheduler.state(2)).isEqualTo(StateName.FAILED);
        scheduler.tell(3, new TimeLimitReached(1));
        assertThat(scheduler.state(3)).isEqualTo(StateName.STOPPING);
        ends(scheduler, 3, 143);
        assertThat(end(scheduler, 3).outcome().reason()).isEqualTo(OutcomeReason.TIME_LIMIT);
        assertThat(scheduler.live()).containsExactly(6L);
    }

    @Test
    void aTaskInAPackIsNeitherHeldNorReleased() {
        TestScheduler scheduler = with(1, packs("0-3", 4, 1));
        assertThat(scheduler.tellTask(ARRAY, 1, new HoldRequested(ADA.name())).reply())
                .isEqualTo(new Step.Reply.Ignored(scheduler.job(3), "its pack has it"));
        assertThat(scheduler
                        .tellTask(ARRAY, 1, new ReleaseRequested(ADA.name()))
                        .changes())
                .isEmpty();
    }

    @Test
    void aTaskThatIsCancelledInAPackThatRunsIsEndedByThat() {
        TestScheduler scheduler = with(1, packs("0-3", 4, 1));
        scheduler.starts(6);
        begins(scheduler, 2);
        Step running = scheduler.cancel(2);
        Step waiting = scheduler.cancel(3);

        StopTask stop = new StopTask(RunnerKind.CONTAINER, new Attempt(new JobId(6), 1), new JobId(2));
        assertThat(running.effects()).containsExactly(stop);
        assertThat(waiting.effects()).containsExactly(new StopTask(stop.runner(), stop.attempt(), new JobId(3)));
        assertThat(scheduler.state(2)).isEqualTo(StateName.STOPPING);
        assertThat(scheduler.cancel(2).changes()).isEmpty();
        ends(scheduler, 2, 143);
        scheduler.tell(3, new RunGone(1));
        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.state(3)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.state(4)).isEqualTo(StateName.QUEUED);
        assertThat(scheduler.cancel(2).changes()).as("after its end").isEmpty();
    }

    /** The pack may be back in the queue, and its next container is made without what has ended. */
    @Test
    void aTaskThatIsCancelledBeforeItsPackIsMadeEndsAtOnce() {
        TestScheduler scheduler = with(1, packs("0-3", 4, 1));
        Step step = scheduler.cancel(2);

        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
        assertThat(step.effects())
                .as("the one that is being made may have it")
                .containsExactly(new StopTask(RunnerKind.CONTAINER, new Attempt(new JobId(6), 1), new JobId(2)));
        scheduler.tell(6, new ImageVanished(1));
        assertThat(scheduler.cancel(3).effects()).isEmpty();
        assertThat(scheduler.state(3)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.inPack(6)).extracting(Job::number).containsExactly("1_2", "1_3");
    }

    @Test
    void aTaskThatIsCancelledInAPackThatIsBeingStoppedEndsWithThat() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.starts(4);
        begins(scheduler, 2);
        scheduler.cancel(4);
        assertThat(scheduler.cancel(2).effects()).isEmpty();
        scheduler.passes(Duration.ofMinutes(1));
        scheduler.exits(4);
        Finished pack = end(scheduler, 4);
        scheduler.passes(Duration.ofMinutes(1));
        scheduler.released(4);

        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
        assertThat(end(scheduler, 2).endedAt()).isEqualTo(pack.endedAt());
    }

    @Test
    void aCancelledArrayStopsItsPacksAndAllTheirTasks() {
        TestScheduler scheduler = with(2, packs("0-7", 2, 1));
        scheduler.starts(10);
        begins(scheduler, 2);
        scheduler.tell(11, new ImageVanished(1));
        Step step = cancelAll(scheduler);

        assertThat(step.effects()).noneMatch(StopTask.class::isInstance);
        assertThat(step.effects()).filteredOn(StopRun.class::isInstance).hasSize(1);
        assertThat(scheduler.state(11)).as("a pack in the queue").isEqualTo(StateName.CANCELLED);
        scheduler.released(11);
        assertThat(scheduler.state(4)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.state(2)).isEqualTo(StateName.STOPPING);
        assertThat(scheduler.state(ARRAY)).isEqualTo(StateName.RUNNING);
        scheduler.exits(10);
        scheduler.released(10);
        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.state(3)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.state(ARRAY)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.live()).isEmpty();
    }

    /** The files of a pack tell of its tasks, and are read once nothing is written any more. */
    @Test
    void whatAPackToldIsReadHoweverItEnds() {
        TestScheduler scheduler = with(1, packs("0-3", 2, 1));
        assertThat(scheduler.exits(6).effects())
                .contains(new ReadPack(RunnerKind.CONTAINER, new Attempt(new JobId(6), 1)));
        scheduler.released(6);
        scheduler.tell(7, new ImageVanished(1));
        assertThat(scheduler.tell(7, new ImageRefused("no such image")).effects())
                .contains(new ReadPack(RunnerKind.CONTAINER, new Attempt(new JobId(7), 2)));
        scheduler.released(7);
        assertThat(sentence(scheduler, 4)).isEqualTo("with its pack: no such image");
        assertThat(end(scheduler, 4).outcome().reason()).isEqualTo(OutcomeReason.IMAGE_UNAVAILABLE);
    }

    @Test
    void aPackThatGoesOnIsNotRead() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.tell(4, new ImageVanished(1));
        assertThat(scheduler.released(4).changes()).as("of its first attempt").isEmpty();
        assertThat(scheduler.inPack(4)).hasSize(2);
    }

    static Stream<Arguments> everyEndOfAPack() {
        return Stream.of(
                Arguments.of(new RunExited(1, 0, false, null, TestJobs.STARTED), "LOST", "QUEUED"),
                Arguments.of(new RunExited(1, 1, false, null, TestJobs.STARTED), "LOST", "QUEUED"),
                Arguments.of(new RunExited(1, 137, true, null, TestJobs.STARTED), "OUT_OF_MEMORY", "QUEUED"),
                Arguments.of(new RunGone(1), "LOST", "QUEUED"),
                Arguments.of(new MachineRebooted(1, TestJobs.STARTED), "LOST", "LOST"),
                Arguments.of(new EngineStopped(1, 143, TestJobs.STARTED), "LOST", "QUEUED"));
    }

    /** One task had begun, and one had not. */
    @ParameterizedTest
    @MethodSource("everyEndOfAPack")
    void aPackThatEndsEarlyLeavesItsTasksBehind(JobEvent event, StateName begun, StateName unbegun) {
        TestScheduler scheduler = with(1, packs("0-3", 2, 1));
        scheduler.starts(6);
        begins(scheduler, 2);
        scheduler.tell(6, event);
        scheduler.released(6);

        assertThat(scheduler.state(2)).isEqualTo(begun);
        assertThat(scheduler.state(3)).isEqualTo(unbegun);
        assertThat(scheduler.state(6).isFinal()).isTrue();
    }

    /** Nobody knows then which had begun. */
    @Test
    void aPackWhoseFilesAreGoneTakesAllItsTasksWithIt() {
        TestScheduler scheduler = with(1, packs("0-3", 2, 1));
        scheduler.starts(6);
        begins(scheduler, 2);
        scheduler.tell(6, new RunGone(1));
        scheduler.released(6, false);
        assertThat(scheduler.state(3)).isEqualTo(StateName.LOST);
    }

    static Stream<Arguments> everyEndOfAPackThatBeganNothing() {
        return Stream.of(
                Arguments.of(new LaunchRefused(1, "no such device"), "FAILED", OutcomeReason.START_FAILED),
                Arguments.of(new StartLost(1), "LOST", OutcomeReason.ENGINE_STOPPED),
                Arguments.of(new RunExited(1, 2, false, null, TestJobs.STARTED), "FAILED", OutcomeReason.START_FAILED),
                Arguments.of(new EngineStopped(1, 143, TestJobs.STARTED), "LOST", OutcomeReason.ENGINE_STOPPED),
                Arguments.of(new RunGone(1), "LOST", OutcomeReason.CONTAINER_LOST));
    }

    @ParameterizedTest
    @MethodSource("everyEndOfAPackThatBeganNothing")
    void aPackThatBeganNothingTakesItsTasksWithIt(JobEvent event, StateName state, OutcomeReason reason) {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.tell(4, new JobEvent.RunCreated(1, TestJobs.ENGINE));
        scheduler.tell(4, event);
        scheduler.released(4);

        assertThat(scheduler.state(2)).isEqualTo(state);
        assertThat(end(scheduler, 3).outcome().reason()).isEqualTo(reason);
        assertThat(end(scheduler, 3).startedAt()).isNull();
        assertThat(scheduler.state(ARRAY)).isEqualTo(StateName.FAILED);
    }

    @Test
    void aTaskThatWasCancelledInAPackThatNeverRanHasNotBegun() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.cancel(2);
        scheduler.tell(4, new LaunchRefused(1, "no such device"));
        scheduler.released(4);
        assertThat(scheduler.state(3)).isEqualTo(StateName.FAILED);
    }

    @Test
    void aPackThatIsStoppedWithTheServerCancelsAllItsTasks() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.starts(4);
        begins(scheduler, 2);
        scheduler.step(new Input.StopEverything(scheduler.now(), "root"));
        scheduler.exits(4);
        scheduler.released(4);

        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
        assertThat(sentence(scheduler, 3)).isEqualTo("with its pack: cancelled by root");
    }

    @Test
    void aPackAtItsTimeLimitLeavesWhatItDidNotComeTo() {
        TestScheduler scheduler = with(1, packs(TestJobs.spec(1, Duration.ofHours(1)), "0-2", 3, 1));
        scheduler.starts(5);
        begins(scheduler, 2);
        scheduler.passes(Duration.ofHours(3));
        assertThat(scheduler.state(5))
                .as("3 tasks, each with its hour and a minute")
                .isEqualTo(StateName.RUNNING);
        scheduler.passes(Duration.ofMinutes(3));
        assertThat(scheduler.state(5)).isEqualTo(StateName.STOPPING);
        scheduler.exits(5);
        scheduler.released(5);

        assertThat(sentence(scheduler, 2)).isEqualTo("with its pack: stopped at its time limit of 3h 3m");
        assertThat(scheduler.state(3)).isEqualTo(StateName.QUEUED);
    }

    @Test
    void whatAPackHasLeftRunsAloneBeforeLaterPacksAndLaterJobs() {
        TestScheduler scheduler = with(1, packs("0-4", 3, 1));
        Job behind = scheduler.submit(1);
        scheduler.starts(7);
        begins(scheduler, 2);
        scheduler.exits(7);
        scheduler.tell(2, new RunExited(1, 0, false, null, scheduler.now()));
        assertThat(scheduler.live()).as("what stands before it is not read yet").containsExactly(8L);
        scheduler.released(7);
        scheduler.imageArrives(3);
        scheduler.imageArrives(4);
        runs(scheduler, 8);

        assertThat(scheduler.live()).containsExactly(3L);
        assertThat(scheduler.job(3).state().attempt()).isEqualTo(1);
        scheduler.exits(3);
        scheduler.exits(4);
        assertThat(scheduler.startOrder())
                .containsExactly(7L, 8L, 3L, 4L, behind.id().value());
        assertThat(scheduler.state(ARRAY)).isEqualTo(StateName.COMPLETED);
    }

    @Test
    void aTaskThatIsRetriedLeavesItsPack() {
        Retry twice = new Retry(2, RetryCauses.USUAL, RetryDelay.NONE, false);
        TestScheduler scheduler = with(1, packs(TestJobs.spec(1).with(twice), "0-3", 2, 1));
        scheduler.starts(6);
        begins(scheduler, 2);
        ends(scheduler, 2, 3);

        assertThat(scheduler.job(2).retried()).isEqualTo(1);
        assertThat(scheduler.job(2).state().attempt()).isEqualTo(2);
        assertThat(scheduler.inPack(6)).extracting(Job::number).containsExactly("1_1");
        scheduler.imageArrives(2);
        begins(scheduler, 3);
        ends(scheduler, 3, 0);
        scheduler.exits(6);
        scheduler.released(6);
        assertThat(scheduler.live()).as("before the next pack").containsExactly(2L);
        scheduler.fails(2);
        scheduler.imageArrives(2);
        scheduler.exits(2);
        assertThat(end(scheduler, 2).attempt()).isEqualTo(3);
        assertThat(scheduler.live()).containsExactly(7L);
    }

    @Test
    void aTaskThatIsCancelledAtItsTimeLimitIsNotRetried() {
        Retry any = new Retry(2, RetryCauses.parse("timeout"), RetryDelay.NONE, false);
        TestScheduler scheduler = with(1, packs(TestJobs.spec(1).with(any), "0-1", 2, 1));
        scheduler.starts(4);
        begins(scheduler, 2);
        begins(scheduler, 3);
        scheduler.tell(2, new TimeLimitReached(1));
        scheduler.tell(3, new TimeLimitReached(1));
        scheduler.cancel(2);
        ends(scheduler, 2, 143);
        ends(scheduler, 3, 143);

        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.state(3)).isEqualTo(StateName.QUEUED);
    }

    @Test
    void aLostPackIsNotRequeuedButItsTasksAre() {
        TestScheduler scheduler = with(1, packs(TestJobs.requeued(1), "0-1", 2, 1));
        scheduler.starts(4);
        begins(scheduler, 2);
        scheduler.tell(4, new MachineRebooted(1, scheduler.now()));
        scheduler.released(4);

        assertThat(scheduler.state(4)).isEqualTo(StateName.LOST);
        for (long task : List.of(2L, 3L)) {
            assertThat(scheduler.state(task)).isEqualTo(StateName.QUEUED);
            assertThat(scheduler.job(task).state().attempt()).isEqualTo(2);
        }
        scheduler.imageArrives(2);
        assertThat(scheduler.live()).containsExactly(2L);
    }

    @Test
    void aPackIsNotRetriedButItsTasksAre() {
        Retry once = new Retry(1, RetryCauses.parse("exit,lost"), RetryDelay.NONE, false);
        TestScheduler scheduler = with(1, packs(TestJobs.spec(1).with(once), "0-1", 2, 1));
        scheduler.starts(4);
        begins(scheduler, 2);
        scheduler.fails(4);
        scheduler.released(4);

        assertThat(scheduler.state(4)).isEqualTo(StateName.FAILED);
        assertThat(scheduler.job(2).retried()).isEqualTo(1);
        assertThat(scheduler.job(2).state().attempt()).isEqualTo(2);
        assertThat(scheduler.job(3).retried()).as("it had not begun").isZero();
    }

    @Test
    void theWayOutOfALostPackIsToldToItsTasks() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.starts(4);
        scheduler.tell(4, new MachineRebooted(1, scheduler.now()));
        scheduler.released(4);

        assertThat(sentence(scheduler, 4)).isEqualTo("the machine was restarted while it ran");
        assertThat(sentence(scheduler, 3))
                .isEqualTo(
                        "with its pack: the machine was restarted while it ran; berth resubmit 1_1 starts it anew, and"
                                + " submit --requeue lets Berth do that by itself");
    }

    @Test
    void whoWaitsForATaskInAPackIsToldOfItsEnd() {
        TestScheduler scheduler = with(2, packs("0-1", 2, 1));
        Prerequisites prerequisites =
                new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(2))), false);
        Job after = ((Step.Reply.Accepted)
                        scheduler.submit(TestJobs.after(1, prerequisites)).reply())
                .job();
        scheduler.starts(4);
        begins(scheduler, 2);
        ends(scheduler, 2, 0);
        scheduler.imageArrives(after.id().value());

        assertThat(scheduler.live()).containsExactly(4L, after.id().value());
    }

    @Test
    void aPackThatTheNextServerCannotRunIsSetAsideWithItsTasks() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.tell(4, new ImageVanished(1));
        TestScheduler next = scheduler.again(Capacities.gpus(0));
        next.readQueue(Lane.MAIN);

        assertThat(next.state(4)).isEqualTo(StateName.HELD);
        assertThat(next.inPack(4)).hasSize(2);
        TestScheduler last = next.again(Capacities.gpus(1));
        last.release(4);
        last.imageArrives(4);
        runs(last, 4);
        assertThat(last.state(ARRAY)).isEqualTo(StateName.COMPLETED);
    }

    @Test
    void aPackThatTheNextServerDropsFailsWithItsTasks() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.tell(4, new ImageVanished(1));
        TestScheduler next = scheduler.again(Capacities.dropping(0, 1, 0));
        Step step = next.readQueue(Lane.MAIN);
        assertThat(step.effects()).filteredOn(ReadPack.class::isInstance).hasSize(1);
        next.released(4);
        assertThat(end(next, 2).outcome().reason()).isEqualTo(OutcomeReason.NEVER_FITS);
    }

    @Test
    void aTaskThatIsToBeStoppedIsCancelledHoweverItsProgramEnds() {
        TestScheduler scheduler = with(1, packs("0-1", 2, 1));
        scheduler.starts(4);
        scheduler.cancel(2);
        begins(scheduler, 2);
        assertThat(scheduler.job(2).state()).isEqualTo(new Packed(scheduler.now(), new StopCause.Cancelled("grace")));
        ends(scheduler, 2, 0);
        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
    }

    /** What it told of its tasks before the server was there is read with its release. */
    @Test
    void aPackThatIsFoundToBeOverIsReleasedAsOne() {
        TestScheduler scheduler = with(2, packs("0-1", 2, 1));
        scheduler.exits(4);
        Job pack = scheduler.job(4);
        Recovery plan = recovered(scheduler, pack, Attempt.of(pack));

        assertThat(plan.effects()).containsExactly(new ReadPack(RunnerKind.CONTAINER, Attempt.of(pack)));
        assertThat(plan.orphans()).isEmpty();
    }

    /** As after an older copy of the store was brought back: its files tell of tasks that have begun anew since. */
    @Test
    void whatIsLeftOfAnotherAttemptOfAPackIsNotRead() {
        TestScheduler scheduler = with(2, packs("0-1", 2, 1));
        scheduler.exits(4);
        Job pack = scheduler.job(4);
        Attempt other = new Attempt(pack.id(), pack.state().attempt() - 1);

        assertThat(recovered(scheduler, pack, other).effects())
                .containsExactly(new ReleaseRun(RunnerKind.CONTAINER, other));
    }

    private static Recovery recovered(TestScheduler scheduler, Job pack, Attempt found) {
        Found exited = new Found(
                RunnerKind.CONTAINER,
                found,
                new Found.Condition.Exited(0, false, null, scheduler.now()),
                List.of(TestJobs.gpu(0)));
        return Recovery.plan(Capacities.gpus(2), List.of(), List.of(new Sighting(exited, pack)), null);
    }

    private static Optional<Duration> untilLatestStart(TestScheduler scheduler, long id) {
        Forecast.Assumptions assumptions = new Forecast.Assumptions(
                Duration.ofMinutes(1), _ -> true, _ -> scheduler.now().minusSeconds(60));
        return Forecast.latestStart(scheduler.machine(), new JobId(id), scheduler.now(), assumptions)
                .map(start -> Duration.between(scheduler.now(), start));
    }

    /** Two turns of the first pack, of which the tasks run by twos, and one of the second. */
    @Test
    void theLatestStartOfAJobBehindPacksCountsWhatTheyTake() {
        TestScheduler scheduler = with(1, packs(TestJobs.spec(1, Duration.ofHours(1)), "0-5", 4, 2));
        Job behind = scheduler.submit(1);
        scheduler.starts(8);

        assertThat(untilLatestStart(scheduler, behind.id().value()).orElseThrow())
                .isBetween(
                        Duration.ofHours(3).plusMinutes(3), Duration.ofHours(3).plusMinutes(10));
        assertThat(untilLatestStart(scheduler, ARRAY).orElseThrow())
                .isBetween(
                        Duration.ofHours(2).plusMinutes(2), Duration.ofHours(2).plusMinutes(6));
    }

    @Test
    void nobodyCanTellWhatComesBehindAPackWhoseTasksMayBeRetried() {
        TestScheduler scheduler = with(1, retriedPack(false));
        Job behind = scheduler.submit(1);
        assertThat(untilLatestStart(scheduler, behind.id().value())).isEmpty();
        assertThat(untilLatestStart(scheduler, ARRAY)).as("its next pack").isEmpty();

        TestScheduler other = with(1, retriedPack(true));
        Job first = other.submit(1);
        assertThat(untilLatestStart(other, first.id().value())).isPresent();
    }

    private static JobSpec retriedPack(boolean atEnd) {
        Retry once = new Retry(1, RetryCauses.USUAL, RetryDelay.NONE, atEnd);
        return packs(TestJobs.spec(1, Duration.ofHours(1)).with(once), "0-3", 2, 1);
    }
}
