package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.Retry;
import dev.berth.core.job.RetryCauses;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Input.DatesReached;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent.HoldSeen;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.Step.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Jobs that are handed over to targets: in lines of their own, with nothing of the machine, and with true ends. */
class TargetJobTest {
    private static final Map<String, Integer> TARGETS = Map.of("cluster", 2, "other", 1);

    private static TestScheduler scheduler(int gpus) {
        return TestScheduler.on(Capacities.targets(Capacities.gpus(gpus), TARGETS));
    }

    private static JobSpec cluster(int gpus) {
        return TestJobs.at("cluster", TestJobs.spec(gpus));
    }

    private static JobSpec other() {
        return TestJobs.at("other", TestJobs.spec(0));
    }

    private static RunEnded ended(StateName state, OutcomeReason reason, TestScheduler driver) {
        return new RunEnded(1, new Outcome(state, reason, "it said so", null), null, driver.now());
    }

    private static Waiting waiting(TestScheduler driver, long id, long ahead) {
        return Waiting.of(driver.machine(), driver.job(id), ahead, Optional.empty());
    }

    @Test
    void itPassesTheQueueOfTheMachineAndHoldsNothingOfIt() {
        TestScheduler driver = scheduler(1);
        driver.submit(1);
        driver.submit(1);

        Step step = driver.submit(cluster(8));

        Job launch = driver.job(3);
        assertThat(launch.state()).isEqualTo(new Creating(1, "", Allocation.NONE, true));
        assertThat(step.effects()).containsExactly(new CreateRun(launch, "", Allocation.NONE));
        driver.handsOver(3);
        assertThat(driver.job(3).state()).isEqualTo(new HandedOver(1, false));
        driver.starts(3);
        assertThat(driver.job(3).state()).isEqualTo(new Running(1, Allocation.NONE, driver.now()));
        assertThat(driver.live()).containsExactly(1L, 3L);
        assertThat(driver.machine().busyWorkers(Lane.MAIN)).isEqualTo(1);
        assertThat(driver.machine().heldCpus()).isEmpty();
        driver.exits(1);
        assertThat(driver.live()).containsExactly(2L, 3L);
        driver.exits(3);
        assertThat(driver.state(3)).isEqualTo(StateName.COMPLETED);
    }

    @Test
    void aMachineWhoseHeadDoesNotFitLetsItGo() {
        TestScheduler driver = scheduler(2);
        driver.submit(1);
        driver.submit(2);
        driver.submit(cluster(0));

        assertThat(driver.startOrder()).containsExactly(1L, 3L);
        assertThat(waiting(driver, 2, 0).reason()).isEqualTo(QueueReason.AT_HEAD_WAITING_FOR_GPUS);
    }

    @Test
    void aTargetHasNoMoreJobsAtOnceThanItMay() {
        TestScheduler driver = scheduler(0);
        for (int i = 0; i < 4; i++) {
            driver.submit(cluster(1));
        }
        assertThat(driver.live()).containsExactly(1L, 2L);
        assertThat(waiting(driver, 3, 0).reason()).isEqualTo(QueueReason.TARGET_FULL);

        driver.handsOver(1);
        driver.starts(2);
        assertThat(driver.live()).as("as long as it has not ended").containsExactly(1L, 2L);
        driver.exits(2);
        driver.tell(1, ended(StateName.LOST, OutcomeReason.NODE_LOST, driver));
        assertThat(driver.startOrder()).containsExactly(1L, 2L, 3L, 4L);
    }

    /** A target whose engine keeps dependencies, and one whose engine does not. */
    private static TestScheduler keeping() {
        SortedMap<String, TargetRules> rules = new TreeMap<>();
        rules.put("cluster", new TargetRules(10, true));
        rules.put("other", new TargetRules(10, false));
        return TestScheduler.on(Capacities.of(0, 1, 1).with(rules));
    }

    private static JobSpec after(JobSpec spec, DependencyKind kind, long... others) {
        return spec.waitingFor(new Prerequisites(
                null,
                LongStream.of(others)
                        .mapToObj(other -> new Dependency(kind, new JobId(other)))
                        .toList(),
                false));
    }

    @Test
    void whoWaitsForWhatTheTargetHasGoesThereToo() {
        TestScheduler driver = keeping();
        driver.submit(cluster(1));
        driver.submit(after(cluster(1), DependencyKind.AFTER_OK, 1));
        driver.submit(after(cluster(1), DependencyKind.AFTER_ANY, 1, 2));
        assertThat(driver.live()).containsExactly(1L);

        driver.handsOver(1);
        assertThat(driver.live()).containsExactly(1L, 2L);
        driver.handsOver(2);
        assertThat(driver.live()).containsExactly(1L, 2L, 3L);
        driver.handsOver(3);
        driver.submit(after(cluster(1), DependencyKind.AFTER_NOT_OK, 3));
        assertThat(driver.live()).as("at its submit").containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void whoWaitsForSomethingElseTooWaitsHereForAllOfIt() {
        TestScheduler driver = keeping();
        driver.submit(0);
        driver.submit(cluster(1));
        driver.handsOver(2);
        driver.submit(after(cluster(1), DependencyKind.AFTER_ANY, 1, 2));
        driver.starts(1);
        assertThat(driver.live()).containsExactly(1L, 2L);
        driver.exits(1);
        assertThat(driver.live()).containsExactly(2L);
        driver.exits(2);
        assertThat(driver.live()).containsExactly(3L);
    }

    @Test
    void theEngineIsNotLeftAloneWithWhatItCannotKnow() {
        TestScheduler driver = keeping();
        driver.submit(cluster(1).with(new Retry(1, RetryCauses.USUAL, RetryDelay.NONE, false)));
        driver.submit(other());
        driver.submit(cluster(1));
        driver.handsOver(1);
        driver.handsOver(2);
        driver.handsOver(3);
        driver.submit(after(cluster(1), DependencyKind.AFTER_OK, 1));
        driver.submit(after(cluster(1), DependencyKind.AFTER_OK, 2));
        driver.submit(after(other(), DependencyKind.AFTER_OK, 2));
        driver.submit(cluster(1)
                .waitingFor(
                        new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(3))), true)));
        driver.submit(cluster(1)
                .waitingFor(new Prerequisites(
                        driver.now().plusSeconds(60),
                        List.of(new Dependency(DependencyKind.AFTER_OK, new JobId(3))),
                        false)));
        assertThat(driver.live()).containsExactly(1L, 2L, 3L);
        assertThat(driver.state(4)).isEqualTo(StateName.QUEUED);
    }

    @Test
    void aFullTargetHoldsNoOtherUp() {
        TestScheduler driver = scheduler(0);
        driver.submit(cluster(1));
        driver.submit(cluster(1));
        driver.submit(cluster(1));
        driver.submit(other());
        driver.submit(other());

        assertThat(driver.startOrder()).containsExactly(1L, 2L, 4L);
        driver.exits(4);
        assertThat(driver.startOrder()).containsExactly(1L, 2L, 4L, 5L);
    }

    @Test
    void jobsBehindManyForAFullTargetAreFound() {
        TestScheduler driver = scheduler(0);
        for (int i = 0; i < QueueWindow.MAX_JOBS + 10; i++) {
            driver.submit(cluster(0));
        }
        driver.submit(other());
        TestScheduler next = driver.again(Capacities.targets(Capacities.gpus(0), TARGETS));
        while (next.machine().room(Lane.TARGET) > 0) {
            next.readQueue(Lane.TARGET);
        }
        assertThat(next.live()).contains(QueueWindow.MAX_JOBS + 11L).hasSize(3);
    }

    @Test
    void rulesAboutTheOrderOfTheMachineAreNotThoseOfTargets() {
        TestScheduler driver =
                TestScheduler.on(Capacities.targets(Capacities.ordered(1, new QueueRules(true, true, false)), TARGETS));
        driver.submit(cluster(1));
        driver.submit(cluster(1));
        driver.submit(1);

        assertThat(driver.startOrder()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aTargetThatIsNotSetUpIsRefusedAtTheSubmit() {
        TestScheduler driver = scheduler(4);
        assertThat(driver.submit(TestJobs.at("clutser", TestJobs.spec(0))).reply())
                .isEqualTo(new Reply.Refused(
                        "it is for target clutser, which is not set up here; berth targets lists those that are"));
        assertThat(driver.stored()).isEmpty();
    }

    @Test
    void aJobThatAnEarlierServerAcceptedForATargetThatIsGoneIsSetAside() {
        TestScheduler before = scheduler(0);
        before.submit(cluster(0));
        before.submit(cluster(0));
        before.submit(cluster(0));
        before.handsOver(1);

        TestScheduler driver = before.again(Capacities.targets(Capacities.gpus(0), Map.of("other", 1)));
        driver.readQueue(Lane.TARGET);

        assertThat(driver.live()).as("what the target has is not lost").containsExactly(1L, 2L);
        assertThat(driver.job(3).state()).isInstanceOfSatisfying(Held.class, held -> {
            assertThat(held.isByServer()).isTrue();
            assertThat(held.attempt()).isEqualTo(1);
            assertThat(held.image()).isEqualTo(new ImageState.Ready(""));
        });
        TestScheduler again = driver.again(Capacities.targets(Capacities.gpus(0), Map.of("cluster", 3)));
        again.readQueue(Lane.TARGET);
        again.release(3);
        assertThat(again.state(3)).isEqualTo(StateName.STARTING);
    }

    @Test
    void aServerThatDropsWhatDoesNotFitDropsIt() {
        TestScheduler before = scheduler(0);
        before.submit(cluster(0));
        before.submit(cluster(0));
        before.submit(cluster(0));

        TestScheduler driver = before.again(Capacities.dropping(0, 1, 0));
        driver.readQueue(Lane.TARGET);

        assertThat(((Finished) driver.job(3).state()).outcome().reason()).isEqualTo(OutcomeReason.NEVER_FITS);
    }

    @Test
    void anArrayIsHandedOverTaskByTaskUnderItsThrottle() {
        TestScheduler driver = scheduler(0);
        Step step = driver.submit(TestJobs.at("cluster", TestJobs.spec(1).with(Tasks.parse("0-2%1"))));
        driver.submit(cluster(0));

        assertThat(step.effects()).noneMatch(FetchImage.class::isInstance);
        assertThat(driver.live()).containsExactly(2L, 5L);
        assertThat(driver.job(2).spec().target()).isEqualTo("cluster");
        assertThat(driver.job(2).number()).isEqualTo("1_0");
        driver.exits(5);
        assertThat(driver.live()).as("the throttle holds it").containsExactly(2L);
        driver.exits(2);
        driver.exits(3);
        assertThat(driver.job(1).state()).isInstanceOf(Dispatched.class);
        driver.exits(4);
        assertThat(driver.state(1)).isEqualTo(StateName.COMPLETED);
    }

    @Test
    void anArrayForAFullTargetKeepsItsPlace() {
        TestScheduler driver = scheduler(0);
        driver.submit(TestJobs.at("cluster", TestJobs.spec(1).with(Tasks.parse("0-3"))));
        driver.submit(cluster(0));

        assertThat(driver.live()).containsExactly(2L, 3L);
        driver.exits(2);
        driver.exits(3);
        assertThat(driver.startOrder()).containsExactly(2L, 3L, 4L, 5L);
        driver.exits(4);
        assertThat(driver.startOrder()).endsWith(6L);
    }

    @Test
    void aJobThatIsRequeuedIsHandedOverOnceMore() {
        TestScheduler driver = scheduler(0);
        driver.submit(TestJobs.at("cluster", TestJobs.requeued(1)));
        driver.handsOver(1);
        driver.starts(1);

        Step step = driver.tell(1, ended(StateName.LOST, OutcomeReason.PREEMPTED, driver));

        Job launch = driver.job(1);
        assertThat(launch.state()).isEqualTo(new Creating(2, "", Allocation.NONE, true));
        assertThat(step.effects())
                .containsExactly(
                        new ReleaseRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1)),
                        new CreateRun(launch, "", Allocation.NONE));
    }

    @Test
    void whatSomebodyCancelledAtTheTargetIsNotTriedAgain() {
        TestScheduler driver = scheduler(0);
        Retry retry = new Retry(3, RetryCauses.parse("exit,oom,lost,timeout"), RetryDelay.NONE, false);
        driver.submit(TestJobs.at("cluster", TestJobs.requeued(1).with(retry)));
        driver.handsOver(1);

        driver.tell(1, ended(StateName.CANCELLED, OutcomeReason.CANCELLED_AT_TARGET, driver));

        assertThat(driver.state(1)).isEqualTo(StateName.CANCELLED);
    }

    @Test
    void aRetryWaitsItsDelayAndFetchesNoImage() {
        TestScheduler driver = scheduler(0);
        Retry retry = new Retry(1, RetryCauses.parse("exit"), RetryDelay.parse("10m"), false);
        driver.submit(TestJobs.at("cluster", TestJobs.spec(1).with(retry)));
        driver.handsOver(1);

        Step failed = driver.tell(1, new RunExited(1, 3, false, driver.now(), driver.now()));
        assertThat(driver.job(1).state()).isInstanceOf(Deferred.class);
        assertThat(failed.effects()).containsExactly(new ReleaseRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1)));

        driver.passes(Duration.ofMinutes(10));
        Step begun = driver.step(new DatesReached(driver.now(), List.of(driver.job(1)), false));
        assertThat(driver.job(1).state()).isEqualTo(new Creating(2, "", Allocation.NONE, true));
        assertThat(begun.effects()).noneMatch(FetchImage.class::isInstance);
    }

    @Test
    void aHandOverThatWasPutOffIsDoneAgainWithoutAnImage() {
        TestScheduler driver = scheduler(0);
        driver.submit(cluster(1));

        Step step = driver.tell(1, new LaunchPutOff(1, "its disk is full"));

        assertThat(driver.job(1).state()).isEqualTo(new Creating(2, "", Allocation.NONE, true));
        assertThat(step.effects()).noneMatch(FetchImage.class::isInstance);
    }

    @Test
    void itWaitsForOtherJobsBeforeItIsHandedOver() {
        TestScheduler driver = scheduler(1);
        driver.submit(1);
        Dependency dependency = new Dependency(DependencyKind.AFTER_OK, new JobId(1));
        driver.submit(TestJobs.at("cluster", TestJobs.after(1, new Prerequisites(null, List.of(dependency), false))));
        assertThat(driver.job(2).state()).isInstanceOf(Deferred.class);

        Step step = driver.exits(1);

        assertThat(driver.state(2)).isEqualTo(StateName.STARTING);
        assertThat(step.effects()).noneMatch(FetchImage.class::isInstance);
    }

    @Test
    void othersWaitForIt() {
        TestScheduler driver = scheduler(1);
        driver.submit(cluster(1));
        Dependency dependency = new Dependency(DependencyKind.AFTER_OK, new JobId(1));
        driver.submit(TestJobs.after(1, new Prerequisites(null, List.of(dependency), false)));
        driver.handsOver(1);

        driver.tell(1, ended(StateName.LOST, OutcomeReason.TARGET_LOST, driver));

        assertThat(((Finished) driver.job(2).state()).outcome().reason()).isEqualTo(OutcomeReason.DEPENDENCY_FAILED);
    }

    @Test
    void aPausedServerHandsNothingOver() {
        TestScheduler driver = scheduler(0);
        driver.submit(cluster(0));
        driver.pause();
        driver.submit(cluster(0));

        assertThat(waiting(driver, 2, 0).reason()).isEqualTo(QueueReason.SERVER_PAUSED);
        driver.handsOver(1);
        driver.starts(1);
        assertThat(driver.state(1)).as("the target goes on").isEqualTo(StateName.RUNNING);
        driver.resume();
        assertThat(driver.live()).containsExactly(1L, 2L);
    }

    @Test
    void aJobThatWaitsHereIsHeldHere() {
        TestScheduler driver = scheduler(0);
        driver.pause();
        driver.submit(cluster(0));

        assertThat(driver.hold(1).effects()).isEmpty();
        assertThat(driver.job(1).state()).isInstanceOf(Held.class);
        driver.resume();
        assertThat(driver.live()).isEmpty();
        assertThat(driver.release(1).effects()).singleElement().isInstanceOf(CreateRun.class);
    }

    @Test
    void aJobThatWaitsThereIsHeldThere() {
        TestScheduler driver = scheduler(0);
        driver.submit(cluster(0));
        driver.handsOver(1);

        assertThat(driver.hold(1).effects())
                .containsExactly(new HoldRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1), true));
        assertThat(driver.state(1)).isEqualTo(StateName.HELD);
        assertThat(driver.live()).as("it counts there all the same").containsExactly(1L);
        assertThat(driver.release(1).effects())
                .containsExactly(new HoldRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1), false));
        assertThat(driver.state(1)).isEqualTo(StateName.QUEUED);

        driver.tell(1, new HoldSeen(1, true));
        assertThat(driver.state(1)).isEqualTo(StateName.HELD);
        driver.starts(1);
        assertThat(driver.state(1)).isEqualTo(StateName.RUNNING);
    }

    @Test
    void aJobThatIsCancelledThereIsStoppedThere() {
        TestScheduler driver = scheduler(0);
        driver.submit(cluster(0));
        driver.handsOver(1);

        assertThat(driver.cancel(1).effects())
                .containsExactly(new StopRun(RunnerKind.TARGET, new Attempt(new JobId(1), 1), null));
        assertThat(driver.job(1).state())
                .isEqualTo(new Stopping(1, Allocation.NONE, null, new StopCause.Cancelled("grace")));
        driver.tell(1, new RunGone(1));
        assertThat(driver.state(1)).isEqualTo(StateName.CANCELLED);
    }

    @Test
    void itsTimeLimitCountsFromItsStartThere() {
        TestScheduler driver = scheduler(0);
        driver.submit(TestJobs.at("cluster", TestJobs.spec(1, Duration.ofHours(1))));
        driver.handsOver(1);
        assertThat(driver.passes(Duration.ofHours(2)).effects())
                .as("it waited that long")
                .isEmpty();
        driver.starts(1);
        driver.passes(Duration.ofHours(1));
        assertThat(driver.state(1)).isEqualTo(StateName.STOPPING);
    }

    @Test
    void theStartOfWhatWaitsForATargetIsNotForecast() {
        TestScheduler driver = scheduler(0);
        for (int i = 0; i < 3; i++) {
            driver.submit(TestJobs.at("cluster", TestJobs.spec(1, Duration.ofHours(1))));
        }
        Forecast.Assumptions assumptions =
                new Forecast.Assumptions(Duration.ofMinutes(1), _ -> true, _ -> driver.now());
        assertThat(Forecast.latestStart(driver.machine(), new JobId(3), driver.now(), assumptions))
                .isEmpty();
    }

    @Test
    void aSubmitForATargetNeedsNoImageHere() {
        Machine machine = Machine.idle(Capacities.targets(Capacities.gpus(0), TARGETS), 0);
        Step step = Scheduler.step(
                machine.with(new Starts.Paused("grace", TestJobs.STARTED)),
                new SubmitJob(TestJobs.STARTED, cluster(1), TestJobs.PROGRAM, TestJobs.ADA, null, new TreeMap<>()));
        assertThat(((Reply.Accepted) step.reply()).job().state()).isEqualTo(new Queued(1, new ImageState.Ready("")));
        assertThat(step.effects()).isEmpty();
    }
}
