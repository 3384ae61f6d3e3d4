package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Signal;
import dev.berth.core.job.SignalState;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.Input.EngineSeen;
import dev.berth.core.machine.Input.OrphanEnded;
import dev.berth.core.machine.Input.StopEverything;
import dev.berth.core.machine.Input.SubmitJob;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.GpusWithdrawn;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ImageVanished;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.Step.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerTest {

    @Nested
    class TheQueue {
        @Test
        void fourGpusTakeTwoTwoThreeThreeAndOneInTheirOrder() {
            TestScheduler four = TestScheduler.on(Capacities.gpus(4));
            List.of(2, 2, 3, 3, 1).forEach(four::submit);
            assertThat(four.live()).as("both fit").containsExactly(1L, 2L);

            four.exits(1);
            assertThat(four.live()).as("the third waits for three").containsExactly(2L);
            four.exits(2);
            assertThat(four.live())
                    .as("the fifth would fit and waits behind the fourth")
                    .containsExactly(3L);
            four.exits(3);
            assertThat(four.live()).as("both fit").containsExactly(4L, 5L);
            four.exits(5);
            four.exits(4);

            assertThat(four.startOrder()).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(four.stored())
                    .extracting(job -> job.state().name())
                    .hasSize(5)
                    .containsOnly(StateName.COMPLETED);
        }

        @Test
        void theExitOfOneJobStartsTheNextInTheSameStep() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.submit(1);
            one.starts(1);
            assertThat(one.exits(1).effects())
                    .containsExactly(
                            new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1)),
                            new CreateRun(
                                    one.job(2).with(new Creating(1, TestJobs.IMAGE_ID, TestJobs.allocation(0))),
                                    TestJobs.IMAGE_ID,
                                    TestJobs.allocation(0)));
        }

        @Test
        void theFreeGpusWithTheLowestIndicesAreGivenOut() {
            TestScheduler four = TestScheduler.on(Capacities.gpus(4));
            List.of(1, 2, 1).forEach(four::submit);
            four.exits(1);
            four.exits(3);
            four.submit(2);
            assertThat(allocation(four, 2)).isEqualTo(TestJobs.allocation(1, 2));
            assertThat(allocation(four, 4)).isEqualTo(TestJobs.allocation(0, 3));
        }

        @Test
        void gpusStayWithAStoppingJobUntilItsProgramIsGone() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.submit(1);
            one.starts(1);
            assertThat(one.cancel(1).effects())
                    .containsExactly(new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), null));
            assertThat(one.live()).containsExactly(1L);
            one.tell(1, new RunGone(1));
            assertThat(one.live()).containsExactly(2L);
        }

        @Test
        void aCancelledHeadMakesWayInTheSameStep() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submit(1);
            two.submit(2);
            two.submit(1);
            assertThat(two.live()).containsExactly(1L);
            two.cancel(2);
            assertThat(two.state(2)).isEqualTo(StateName.CANCELLED);
            assertThat(two.live()).containsExactly(1L, 3L);
        }

        @Test
        void aRefusedLaunchMakesWayInTheSameStep() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.submit(1);
            one.tell(1, new LaunchRefused(1, "no such device"));
            assertThat(one.state(1)).isEqualTo(StateName.FAILED);
            assertThat(one.live()).containsExactly(2L);
        }

        @Test
        void aHeadWithoutItsImageHoldsUpTheJobsWhoseImageIsHere() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submitPending(1);
            two.submit(1);
            assertThat(two.live()).isEmpty();
            two.imageArrives(1);
            assertThat(two.live()).containsExactly(1L, 2L);
            assertThat(two.startOrder()).containsExactly(1L, 2L);
        }

        @Test
        void aJobCancelledDuringItsPullNeverStartsAlsoWhenTheImageArrives() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submitPending(1);
            one.cancel(1);
            Step late = one.imageArrives(1);
            assertThat(late.reply()).isEqualTo(new Reply.Ignored(one.job(1), "the job has ended"));
            assertThat(late.effects()).isEmpty();
            assertThat(one.startOrder()).isEmpty();
        }

        @Test
        void aJobWhoseImageVanishedComesBackInItsPlace() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submit(1);
            two.submit(1);
            two.submit(1);
            Step vanished = two.tell(1, new ImageVanished(1));
            assertThat(vanished.effects())
                    .containsExactly(
                            new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1)), TestJobs.fetch(1));
            assertThat(two.live()).as("the third waits behind the first again").containsExactly(2L);
            two.imageArrives(1);
            assertThat(two.live()).containsExactly(1L, 2L);
            assertThat(two.job(1).state().attempt()).isEqualTo(2);
        }

        @Test
        void aJobWhoseImageVanishesUnderEachStartFailsAfterTheTenth() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            for (int attempt = 1; attempt <= JobMoves.MAX_ATTEMPTS; attempt++) {
                assertThat(one.state(1)).isEqualTo(StateName.STARTING);
                one.tell(1, new ImageVanished(attempt));
                one.imageArrives(1);
            }
            assertThat(outcome(one, 1).reason()).isEqualTo(OutcomeReason.IMAGE_UNAVAILABLE);
            assertThat(one.startOrder()).hasSize(JobMoves.MAX_ATTEMPTS);
        }

        @Test
        void aJobThatIsPutOffWaitsInItsPlaceWithoutGpus() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submit(2);
            two.submit(1);
            Step putOff = two.tell(1, new LaunchPutOff(1, "its disk is full"));
            assertThat(putOff.effects())
                    .containsExactly(
                            new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1)), TestJobs.fetch(1));
            assertThat(two.live()).as("the second waits behind it").isEmpty();
            two.imageArrives(1);
            assertThat(two.live()).containsExactly(1L);
            assertThat(two.job(1).state().attempt()).isEqualTo(2);
        }

        @Test
        void aJobThatIsPutOffAgainAndAgainFails() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            for (int attempt = 1; attempt <= JobMoves.MAX_ATTEMPTS; attempt++) {
                assertThat(one.state(1)).isEqualTo(StateName.STARTING);
                one.tell(1, new LaunchPutOff(attempt, "its disk is full"));
                one.imageArrives(1);
            }
            assertThat(outcome(one, 1).reason()).isEqualTo(OutcomeReason.START_FAILED);
            assertThat(outcome(one, 1).sentence())
                    .isEqualTo("in attempt 10, its last, no container was started: its disk is full");
        }

        /** However often it was started before: that is the server's doing and not the job's. */
        @Test
        void aJobWhoseGpusAServerDoesNotGiveOutWaitsAlsoInItsLastAttempt() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            for (int attempt = 1; attempt < JobMoves.MAX_ATTEMPTS; attempt++) {
                one.tell(1, new LaunchPutOff(attempt, "its disk is full"));
                one.imageArrives(1);
            }
            assertThat(one.job(1).state().attempt()).isEqualTo(JobMoves.MAX_ATTEMPTS);
            one.tell(1, new GpusWithdrawn(JobMoves.MAX_ATTEMPTS));
            assertThat(one.state(1)).isEqualTo(StateName.QUEUED);
        }

        /** Its attempts are counted over the machine's losses, too, which are not the image's. */
        @Test
        void aJobThatTheMachineLostIsNotFailedByTheFirstImageThatVanishes() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.requeued(1));
            one.imageArrives(1);
            for (int attempt = 1; attempt <= 3; attempt++) {
                one.tell(1, new RunCreated(attempt, TestJobs.ENGINE));
                one.tell(1, new StartLost(attempt));
                one.imageArrives(1);
            }
            one.tell(1, new ImageVanished(4));
            assertThat(one.state(1)).isEqualTo(StateName.QUEUED);
        }

        /** Nor is one whose container nobody could start. */
        @Test
        void aJobThatWasPutOffIsNotFailedByTheFirstImageThatVanishes() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            for (int attempt = 1; attempt <= 3; attempt++) {
                one.tell(1, new LaunchPutOff(attempt, "its disk is full"));
                one.imageArrives(1);
            }
            one.tell(1, new ImageVanished(4));
            assertThat(one.state(1)).isEqualTo(StateName.QUEUED);
        }

        /** Its start may turn out to be lost only now. */
        @Test
        void aCancelledJobDoesNotBeginAgainThatWasBeingStopped() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.requeued(TestJobs.spec(1, Duration.ofHours(1))));
            one.imageArrives(1);
            one.starts(1);
            one.passes(Duration.ofHours(1));
            assertThat(one.state(1)).isEqualTo(StateName.STOPPING);
            one.tell(1, new CancelRequested("ada"));
            one.tell(1, new StartLost(1));
            assertThat(outcome(one, 1).state()).isEqualTo(StateName.CANCELLED);
        }

        @Test
        void whatTheEngineSaidOfALostStartIsTold() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.tell(1, new RunCreated(1, TestJobs.ENGINE));
            one.tell(1, new StartLost(1, "OCI runtime start failed: no rights"));
            assertThat(outcome(one, 1).sentence())
                    .isEqualTo(
                            "the container engine, a part of it or the connection to it ended while it was to start the program, so nobody"
                                    + " knows whether it ran (it said: OCI runtime start failed: no rights); berth"
                                    + " resubmit 1 starts it anew, and submit --requeue lets Berth do that by itself");
        }

        @Test
        void lateNewsChangesNothingAndSaysSo() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.exits(1);
            Machine before = one.machine();
            Step late = one.exits(1);
            assertThat(late.reply()).isEqualTo(new Reply.Ignored(one.job(1), "the job has ended"));
            assertThat(late.changes()).isEmpty();
            assertThat(late.effects()).isEmpty();
            assertThat(late.machine()).isEqualTo(before);
        }

        @Test
        void theSameStateAndInputGiveTheSameStep() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submit(2);
            two.submitPending(1);
            Input input = new SubmitJob(two.now(), TestJobs.spec(1), TestJobs.PROGRAM, TestJobs.ADA, null);
            Machine machine = two.machine();
            assertThat(Scheduler.step(machine, input)).isEqualTo(Scheduler.step(machine, input));
            assertThat(machine).as("a step leaves what it was given as it was").isEqualTo(two.machine());
        }

        @Test
        void changesSayWhatHappenedInTheirOrder() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.submit(1);
            one.starts(1);
            assertThat(one.exits(1).changes())
                    .filteredOn(Change.OfJob.class::isInstance)
                    .extracting(
                            change -> ((Change.OfJob) change).job().id().value(),
                            change -> ((Change.Advanced) change).event().name(),
                            change -> ((Change.OfJob) change).job().state().name())
                    .containsExactly(
                            tuple(1L, "ContainerExited", StateName.COMPLETED),
                            tuple(2L, "Allocated", StateName.STARTING));
        }
    }

    @Nested
    class Workers {
        @Test
        void aJobWithoutGpusTakesAWorkerToo() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            List.of(0, 0, 1).forEach(two::submit);
            assertThat(two.live()).containsExactly(1L, 2L);
            two.exits(2);
            assertThat(two.live()).containsExactly(1L, 3L);
        }

        @Test
        void withoutGpusOneWorkerRunsOneJobAtATime() {
            TestScheduler none = TestScheduler.on(Capacities.gpus(0));
            List.of(0, 0).forEach(none::submit);
            assertThat(none.live()).containsExactly(1L);
            none.exits(1);
            assertThat(none.live()).containsExactly(2L);
        }

        @Test
        void aHeadThatWaitsForGpusHoldsUpJobsWithoutGpus() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            List.of(1, 2, 0).forEach(two::submit);
            assertThat(two.live()).containsExactly(1L);
        }

        @Test
        void cpuWorkersAreALaneOfTheirOwn() {
            TestScheduler two = TestScheduler.on(Capacities.of(2, 2, 1));
            List.of(1, 2, 0, 0, 1).forEach(two::submit);
            assertThat(two.live())
                    .as("the blocked head of the main lane is none of theirs")
                    .containsExactly(1L, 3L);
            two.exits(3);
            assertThat(two.live()).containsExactly(1L, 4L);
            two.exits(1);
            assertThat(two.live()).containsExactly(2L, 4L);
            two.exits(2);
            assertThat(two.live())
                    .as("a CPU job takes no worker of the main lane")
                    .containsExactly(4L, 5L);
        }

        @Test
        void theWorkersOfOneLaneAreNotCountedInTheOther() {
            TestScheduler one = TestScheduler.on(Capacities.of(1, 1, 1));
            List.of(0, 1, 0).forEach(one::submit);
            assertThat(one.live()).containsExactly(1L, 2L);
            assertThat(one.machine().busyWorkers(Lane.MAIN)).isEqualTo(1);
            assertThat(one.machine().busyWorkers(Lane.CPU)).isEqualTo(1);
        }

        @Test
        void theCpuLaneIsFirstInFirstOutInItself() {
            TestScheduler two = TestScheduler.on(Capacities.of(2, 2, 2));
            two.submitPending(0);
            two.submit(0);
            two.submit(1);
            assertThat(two.live()).as("the second CPU job waits for the first").containsExactly(3L);
            two.imageArrives(1);
            assertThat(two.live()).containsExactly(1L, 2L, 3L);
        }
    }

    @Nested
    class WhatNeverFits {
        @Test
        void isRefusedAtSubmitWithTheNumbersAndNothingIsChanged() {
            TestScheduler four = TestScheduler.on(Capacities.gpus(4));
            Machine before = four.machine();
            Step refused = four.submit(TestJobs.spec(5));
            assertThat(refused.reply())
                    .isEqualTo(new Reply.Refused("it asks for 5 GPUs, but this server has 4; ask for at most 4"));
            assertThat(refused.machine()).isEqualTo(before);
            assertThat(refused.changes()).isEmpty();
            assertThat(refused.effects()).isEmpty();
            assertThat(four.submit(4).id()).as("no id was spent").isEqualTo(new JobId(1));
        }

        @Test
        void withoutGpusTheRefusalNamesTheOptionThatGivesThem() {
            assertThat(TestScheduler.on(Capacities.gpus(0))
                            .submit(TestJobs.spec(1))
                            .reply())
                    .isEqualTo(new Reply.Refused("it asks for 1 GPU, but this server allocates none;"
                            + " start it with -g (berth server start -g)"));
        }

        @Test
        void failsInTheQueueOfAMachineThatShrankWhereThatIsWished() {
            TestScheduler two = TestScheduler.restarted(
                    Capacities.dropping(2, 2, 0),
                    List.of(TestJobs.queued(1, 4), TestJobs.pending(2, 3), TestJobs.queued(3, 2)));
            two.readQueue(Lane.MAIN);
            assertThat(two.job(1).state())
                    .isEqualTo(new Finished(
                            0,
                            null,
                            two.now(),
                            new Outcome(
                                    StateName.FAILED,
                                    OutcomeReason.NEVER_FITS,
                                    "it asks for 4 GPUs, but this server has 2; ask for at most 2",
                                    null)));
            assertThat(outcome(two, 2).reason()).isEqualTo(OutcomeReason.NEVER_FITS);
            assertThat(two.live()).containsExactly(3L);
        }

        @Test
        void isSetAsideInTheQueueOfAMachineThatShrankAndBlocksNobody() {
            TestScheduler two = TestScheduler.restarted(
                    Capacities.gpus(2), List.of(TestJobs.queued(1, 4), TestJobs.pending(2, 3), TestJobs.queued(3, 2)));
            assertThat(two.readQueue(Lane.MAIN).changes())
                    .filteredOn(
                            change -> change instanceof Change.Advanced moved && moved.event() instanceof HoldRequested)
                    .extracting(change -> ((Change.Advanced) change).event().sentence())
                    .containsExactly(
                            "set aside, as this server cannot run it: it asks for 4 GPUs, but this server has 2",
                            "set aside, as this server cannot run it: it asks for 3 GPUs, but this server has 2");
            assertThat(two.live()).containsExactly(3L);
            Held held = (Held) two.job(1).state();
            assertThat(held.isByServer()).isTrue();
            assertThat(two.state(2)).isEqualTo(StateName.HELD);
            assertThat(Waiting.of(two.machine(), two.job(1), held, held.unmet(), null)
                            .sentence())
                    .isEqualTo("set aside, as this server cannot run it: it asks for 4 GPUs, but this server has 2; it"
                            + " keeps its place, and goes on by itself once a server is started that can; berth"
                            + " cancel 1 gives it up");
            two.hold(2);
            assertThat(((Held) two.job(2).state()).by())
                    .as("it is not to go on by itself")
                    .isEqualTo("grace");
            two.hold(2);
            assertThat(two.release(1).reply())
                    .as("it still cannot, and the answer says so")
                    .isEqualTo(new Step.Reply.Took(two.job(1)));
            assertThat(two.state(1)).isEqualTo(StateName.HELD);
        }

        @Test
        void failsWhenItComesToTheFrontAndNotBefore() {
            TestScheduler two = TestScheduler.restarted(
                    Capacities.dropping(2, 2, 0),
                    List.of(TestJobs.running(1, 0), TestJobs.queued(2, 2), TestJobs.queued(3, 4)));
            two.readQueue(Lane.MAIN);
            assertThat(two.state(3)).isEqualTo(StateName.QUEUED);
            two.exits(1);
            assertThat(two.live()).containsExactly(2L);
            assertThat(two.state(3)).isEqualTo(StateName.FAILED);
        }

        @Test
        void gpusThatAreNoLongerThereStayWithTheJobThatHoldsThemAndGoToNobody() {
            TestScheduler one = TestScheduler.restarted(
                    Capacities.gpus(1), List.of(TestJobs.running(1, 2, 3), TestJobs.queued(2, 1)));
            one.readQueue(Lane.MAIN);
            assertThat(one.live()).as("its one worker is busy").containsExactly(1L);
            one.exits(1);
            assertThat(allocation(one, 2)).isEqualTo(TestJobs.allocation(0));
        }
    }

    @Nested
    class TimeLimits {
        private static final Duration HOUR = Duration.ofHours(1);

        @Test
        void aJobIsStoppedAtTheInstantOfItsLimitAndHoldsItsGpusUntilItIsGone() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.spec(1, HOUR));
            one.imageArrives(1);
            one.submit(1);
            one.starts(1);
            assertThat(one.machine().nextDeadline()).contains(one.now().plus(HOUR));

            assertThat(one.passes(HOUR.minusNanos(1)).effects()).isEmpty();
            assertThat(one.passes(Duration.ofNanos(1)).effects())
                    .containsExactly(new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), null));
            assertThat(one.job(1).state()).isInstanceOf(Stopping.class);
            assertThat(one.machine().nextDeadline()).isEmpty();
            assertThat(one.passes(HOUR).effects()).as("one stop is enough").isEmpty();
            assertThat(one.live()).containsExactly(1L);

            one.exits(1);
            assertThat(outcome(one, 1).state()).isEqualTo(StateName.TIMEOUT);
            assertThat(one.live()).containsExactly(2L);
        }

        @Test
        void theClockRunsFromTheProgramsStartNotFromTheSubmit() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.spec(1, HOUR));
            one.passes(HOUR);
            one.imageArrives(1);
            one.passes(HOUR);
            assertThat(one.state(1)).isEqualTo(StateName.STARTING);
            one.starts(1);
            one.passes(HOUR.minusSeconds(1));
            assertThat(one.state(1)).isEqualTo(StateName.RUNNING);
        }

        @ParameterizedTest
        @ValueSource(longs = {7_200, -7_200, 86_400 * 365})
        void aDateThatIsSetEndsNoProgramEarlyAndLetsNoneGoOnForLonger(long seconds) {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.spec(1, HOUR));
            one.imageArrives(1);
            one.starts(1);
            one.passes(Duration.ofMinutes(20));
            assertThat(one.setsDate(Duration.ofSeconds(seconds)).effects()).isEmpty();
            assertThat(one.passes(Duration.ofMinutes(40).minusNanos(1)).effects())
                    .isEmpty();
            assertThat(one.passes(Duration.ofNanos(1)).effects())
                    .containsExactly(new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), null));
        }

        @ParameterizedTest
        @CsvSource({"7200, false", "-7200, false", "7200, true", "-7200, true"})
        void aJobThatIsOverTellsHowLongItRanAndWhichDatesItWas(long seconds, boolean isCancelled) {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.starts(1);
            Instant startedAt = one.now();
            one.passes(Duration.ofMinutes(20));
            one.setsDate(Duration.ofSeconds(seconds));
            one.passes(Duration.ofMinutes(5));
            if (isCancelled) {
                one.cancel(1);
                one.passes(Duration.ofSeconds(1));
                one.setsDate(Duration.ofSeconds(seconds));
            }
            one.exits(1);
            Finished end = (Finished) one.job(1).state();
            assertThat(end.ran()).isEqualTo(Duration.ofMinutes(25).plusSeconds(isCancelled ? 1 : 0));
            assertThat(end.startedAt()).isEqualTo(startedAt);
            assertThat(end.endedAt()).isEqualTo(one.now());
        }

        /** The date was set while it ran, and both news came afterwards. */
        @ParameterizedTest
        @ValueSource(longs = {7_200, -7_200})
        void aJobThatIsOverBeforeItsStartWasHeardOfTellsHowLongItRan(long seconds) {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            Step _ = one.tell(1, new RunCreated(1, TestJobs.ENGINE));
            one.passes(Duration.ofSeconds(1));
            Instant startedAt = one.now();
            one.passes(Duration.ofMinutes(10));
            one.setsDate(Duration.ofSeconds(seconds));
            Step _ = one.tell(1, new RunExited(1, 0, false, startedAt, one.now()));
            assertThat(((Finished) one.job(1).state()).ran()).isEqualTo(Duration.ofMinutes(10));
        }

        /** The date was set back before it started, and ahead before the news came. */
        @Test
        void aStartThatBearsADateOfNoClockThatIsKnownCountsFromWhenItWasAskedFor() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.spec(1, HOUR));
            one.imageArrives(1);
            one.passes(Duration.ofMinutes(1));
            Step _ = one.tell(1, new RunCreated(1, TestJobs.ENGINE));
            one.passes(Duration.ofMinutes(1));
            Step _ = one.tell(1, new RunStarted(1, one.now().minus(HOUR)));
            assertThat(one.passes(HOUR.minusMinutes(1).minusNanos(1)).effects()).isEmpty();
            assertThat(one.passes(Duration.ofNanos(1)).effects()).hasSize(1);
        }

        @Test
        void aStartThatBearsADateFromBeforeItWasSetCountsFromThatMoment() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.spec(1, HOUR));
            one.imageArrives(1);
            one.passes(Duration.ofMinutes(1));
            Instant startedAt = one.now();
            one.setsDate(Duration.ofHours(2));
            one.passes(Duration.ZERO);
            Step _ = one.tell(1, new RunStarted(1, startedAt));
            assertThat(one.state(1)).isEqualTo(StateName.RUNNING);
            assertThat(one.passes(HOUR.minusNanos(1)).effects()).isEmpty();
            assertThat(one.passes(Duration.ofNanos(1)).effects()).hasSize(1);
        }

        @Test
        void theForecastIsADateOfTheClockAsItIsSet() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.spec(1, HOUR));
            one.imageArrives(1);
            one.starts(1);
            one.submit(1);
            one.setsDate(Duration.ofHours(5));
            Forecast.Assumptions served =
                    new Forecast.Assumptions(Duration.ofSeconds(40), _ -> true, _ -> Instant.EPOCH);
            assertThat(Forecast.latestStart(one.machine(), new JobId(2), one.now(), served))
                    .contains(one.now().plus(HOUR).plusSeconds(40).plus(Forecast.LAUNCH));
        }

        private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

        private static final Effect SIGNAL =
                new SignalRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), Signal.USR1);

        private static TestScheduler runningWithSignal() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            LimitSignal signal = new LimitSignal(Signal.USR1, FIVE_MINUTES);
            one.submit(TestJobs.spec(1, new Limits(HOUR, null, signal, null)));
            one.imageArrives(1);
            one.starts(1);
            return one;
        }

        @Test
        void aProgramIsSentItsSignalOnceSoLongBeforeItsLimit() {
            TestScheduler one = runningWithSignal();
            Instant limit = one.now().plus(HOUR);
            assertThat(one.machine().nextDeadline()).contains(limit.minus(FIVE_MINUTES));

            assertThat(one.passes(HOUR.minus(FIVE_MINUTES).minusNanos(1)).effects())
                    .isEmpty();
            assertThat(one.passes(Duration.ofNanos(1)).effects()).containsExactly(SIGNAL);
            assertThat(one.machine().nextDeadline()).contains(limit);
            assertThat(one.passes(Duration.ofMinutes(1)).effects()).isEmpty();
            one.tell(1, new SignalSent(1, Signal.USR1));
            assertThat(one.job(1).state())
                    .isInstanceOfSatisfying(
                            Running.class,
                            running -> assertThat(running.signal()).isEqualTo(SignalState.SENT));
            assertThat(one.passes(Duration.ofMinutes(4)).effects())
                    .containsExactly(new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), null));
        }

        @Test
        void aSignalThatIsLateSaysHowLateItIs() {
            TestScheduler one = runningWithSignal();
            Step step = one.passes(HOUR.minusSeconds(70));
            assertThat(step.effects()).containsExactly(SIGNAL);
            assertThat(step.changes())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Change.Advanced.class,
                            change -> assertThat(change.event().sentence())
                                    .isEqualTo("SIGUSR1, 1m 10s before its time limit"));
        }

        @Test
        void aProgramThatIsPastItsLimitIsStoppedAndSentNothingElse() {
            TestScheduler one = runningWithSignal();
            assertThat(one.passes(HOUR).effects())
                    .containsExactly(new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), null));
            assertThat(one.machine().nextDeadline()).isEmpty();
        }

        @Test
        void aGraceOfItsOwnIsForLimitsAlone() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            Duration grace = Duration.ofMinutes(3);
            for (int id = 1; id <= 2; id++) {
                two.submit(TestJobs.spec(1, new Limits(HOUR, null, null, grace)));
                two.imageArrives(id);
                two.starts(id);
            }
            assertThat(two.tell(1, new CancelRequested("ada")).effects())
                    .containsExactly(new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), null));
            assertThat(two.passes(HOUR).effects())
                    .containsExactly(new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(2), 1), grace));
        }

        @Test
        void theNextDeadlineIsTheEarliest() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submit(TestJobs.spec(1, HOUR.multipliedBy(2)));
            two.submit(TestJobs.spec(1, HOUR));
            two.imageArrives(1);
            two.imageArrives(2);
            two.starts(1);
            two.starts(2);
            assertThat(two.machine().nextDeadline()).contains(two.now().plus(HOUR));
            two.passes(Duration.ofHours(1));
            assertThat(two.machine().nextDeadline()).contains(two.now().plus(HOUR));
        }

        @Test
        void theLongestLimitThereIsHasADeadline() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.spec(1, dev.berth.core.job.Limits.MAX));
            one.imageArrives(1);
            one.starts(1);
            assertThat(one.machine().nextDeadline()).isPresent();
        }

        @Test
        void aJobWithoutALimitHasNoDeadline() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.starts(1);
            assertThat(one.machine().nextDeadline()).isEmpty();
            one.passes(Duration.ofDays(1000));
            assertThat(one.state(1)).isEqualTo(StateName.RUNNING);
        }
    }

    @Nested
    class SetAside {
        @Test
        void aHeldHeadLetsTheNextOnePassAndKeepsItsPlace() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.starts(1);
            one.submit(1);
            one.submit(1);
            one.hold(2);
            one.exits(1);
            assertThat(one.startOrder()).containsExactly(1L, 3L);
            one.submit(1);
            one.release(2);
            one.exits(3);
            assertThat(one.startOrder()).as("it stands before job 4 again").containsExactly(1L, 3L, 2L);
        }

        @Test
        void whatIsReleasedIsStartedAtOnceWhereItFits() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.starts(1);
            one.submit(1);
            one.hold(2);
            one.exits(1);
            assertThat(one.startOrder()).containsExactly(1L);
            one.release(2);
            assertThat(one.startOrder()).containsExactly(1L, 2L);
        }

        @Test
        void aPausedServerStartsNothingUntilItIsResumed() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(2));
            one.submit(1);
            one.starts(1);
            assertThat(one.pause().changes()).hasSize(1);
            assertThat(one.pause().changes()).as("it is paused already").isEmpty();
            one.submit(1);
            one.exits(1);
            assertThat(one.startOrder()).containsExactly(1L);
            one.resume();
            assertThat(one.startOrder()).containsExactly(1L, 2L);
            assertThat(one.resume().changes()).as("it is resumed already").isEmpty();
        }

        @Test
        void whatTheMachineLostGoesBackToItsPlaceWhereItsSubmitterSaidSo() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.requeued(1));
            one.imageArrives(1);
            one.starts(1);
            one.submit(1);
            one.tell(1, new RunGone(1));
            one.imageArrives(1);
            assertThat(one.startOrder()).containsExactly(1L, 1L);
            assertThat(one.job(1).state()).isInstanceOf(Creating.class);
            assertThat(one.job(1).state().attempt()).isEqualTo(2);
        }

        @Test
        void itIsNotStartedForEver() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(TestJobs.requeued(1));
            for (int attempt = 1; attempt <= JobMoves.MAX_ATTEMPTS; attempt++) {
                one.imageArrives(1);
                one.starts(1);
                one.tell(1, new RunGone(attempt));
            }
            assertThat(one.state(1)).isEqualTo(StateName.LOST);
        }

        @Test
        void anImageIsLookedForWhenTheWindowComesToTheJob() {
            TestScheduler none = TestScheduler.on(Capacities.gpus(0));
            for (int i = 1; i <= QueueWindow.MAX_JOBS; i++) {
                assertThat(none.submit(TestJobs.spec(0)).effects())
                        .as("job %s", i)
                        .isNotEmpty();
            }
            assertThat(none.submit(TestJobs.spec(0)).effects()).isEmpty();
        }
    }

    @Nested
    class SeeingTheEngineAgain {
        private final TestScheduler two = TestScheduler.on(Capacities.gpus(2));

        @Test
        void tellsOfExitsThatNobodySaw() {
            two.submit(1);
            two.starts(1);
            see(new Found(
                    RunnerKind.CONTAINER,
                    new Attempt(new JobId(1), 1),
                    new Condition.Exited(3, false, TestJobs.STARTED, TestJobs.STARTED),
                    List.of(TestJobs.gpu(0))));
            assertThat(outcome(two, 1).exitCode()).isEqualTo(3);
        }

        @Test
        void findsOutThatAContainerIsGoneUnlessItWasMadeMeanwhile() {
            two.submit(1);
            two.starts(1);
            two.step(new EngineSeen(two.now(), Set.of(), List.of()));
            assertThat(two.state(1)).isEqualTo(StateName.RUNNING);
            two.step(new EngineSeen(two.now(), Set.of(new Attempt(new JobId(1), 1)), List.of()));
            assertThat(two.state(1)).isEqualTo(StateName.LOST);
        }

        @Test
        void leavesAloneWhatIsOnItsWay() {
            two.submit(1);
            assertThat(two.step(new EngineSeen(two.now(), Set.of(new Attempt(new JobId(1), 1)), List.of()))
                            .effects())
                    .isEmpty();
            assertThat(two.state(1)).isEqualTo(StateName.STARTING);
        }

        @Test
        void followsTheLogOfWhatStillRuns() {
            two.submit(1);
            two.starts(1);
            assertThat(see(new Found(
                                    RunnerKind.CONTAINER,
                                    new Attempt(new JobId(1), 1),
                                    new Condition.Alive(TestJobs.STARTED),
                                    List.of()))
                            .effects())
                    .containsExactly(new AdoptRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1)));
        }

        @Test
        void keepsTheGpusOfAContainerThatNobodyOwnsUntilItIsGone() {
            Attempt orphan = new Attempt(new JobId(99), 1);
            Found alive = new Found(
                    RunnerKind.CONTAINER,
                    new Attempt(new JobId(99), 1),
                    new Condition.Alive(TestJobs.STARTED),
                    List.of(TestJobs.gpu(0)));
            assertThat(see(alive).effects())
                    .containsExactly(new SweepRun(RunnerKind.CONTAINER, new Attempt(new JobId(99), 1)));
            assertThat(see(alive).effects()).as("once is enough").isEmpty();
            two.submit(2);
            assertThat(two.state(1)).isEqualTo(StateName.QUEUED);
            assertThat(Waiting.of(two.machine(), two.job(1), 0, Optional.empty())
                            .sentence())
                    .contains("1 of 2 free", "of job 99, attempt 1, on 1");
            two.step(new OrphanEnded(two.now(), orphan));
            assertThat(two.state(1)).isEqualTo(StateName.STARTING);
        }

        /** After an older copy of the store was brought back, a container of the forgotten time bears its name. */
        @Test
        void passesOverTheNumberOfAnAttemptWhoseContainerIsThere() {
            see(new Found(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), new Condition.Created(), List.of()));
            two.submit(1);
            assertThat(two.job(1).state().attempt()).isEqualTo(2);
            assertThat(two.state(1)).isEqualTo(StateName.STARTING);
        }

        @Test
        void givesTheContainerOfAnEndedJobTimeToBeReleased() {
            two.submit(1);
            two.starts(1);
            two.exits(1);
            Found ended = new Found(
                    RunnerKind.CONTAINER,
                    new Attempt(new JobId(1), 1),
                    new Condition.Exited(0, false, null, two.now()),
                    List.of(TestJobs.gpu(0)));
            assertThat(see(ended).effects()).isEmpty();
            two.passes(Duration.ofHours(1));
            assertThat(see(ended).effects())
                    .containsExactly(new SweepRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1)));
        }

        private Step see(Found found) {
            Job owner = two.stored().stream()
                    .filter(job -> job.id().equals(found.of().job()))
                    .findFirst()
                    .orElse(null);
            return two.step(new EngineSeen(two.now(), Set.of(), List.of(new Sighting(found, owner))));
        }
    }

    @Nested
    class AfterAReboot {
        @Test
        void aJobIsLostOrGoesBackToItsPlace() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submit(1);
            two.submit(TestJobs.requeued(1));
            two.imageArrives(2);
            two.submit(2);
            two.starts(1);
            two.starts(2);
            two.tell(1, new MachineRebooted(1, two.now()));
            two.tell(2, new MachineRebooted(1, two.now()));
            assertThat(outcome(two, 1).reason()).isEqualTo(OutcomeReason.MACHINE_REBOOTED);
            two.imageArrives(2);
            assertThat(two.live()).as("it is first again, and the third waits").containsExactly(2L);
            assertThat(two.job(2).state().attempt()).isEqualTo(2);
        }
    }

    @Nested
    class AfterTheEngineWasStopped {
        @Test
        void aJobIsLostOrGoesBackToItsPlace() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            two.submit(1);
            two.submit(TestJobs.requeued(1));
            two.imageArrives(2);
            two.starts(1);
            two.starts(2);
            two.tell(1, new EngineStopped(1, 143, two.now()));
            two.tell(2, new EngineStopped(1, 143, two.now()));
            assertThat(outcome(two, 1).reason()).isEqualTo(OutcomeReason.ENGINE_STOPPED);
            two.imageArrives(2);
            assertThat(two.job(2).state().attempt()).isEqualTo(2);
            two.tell(2, new RunExited(1, 143, false, null, two.now()));
            assertThat(two.live()).as("old news end nothing").containsExactly(2L);
        }
    }

    @Nested
    class GpusInOtherHands {
        @Test
        void giveTheJobItsPlaceBackAtTheSameAttempt() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.pause();
            one.tell(1, new GpusTaken(1, "somebody"));
            assertThat(one.job(1).state()).isEqualTo(new Queued(1, new ImageState.Ready(TestJobs.IMAGE_ID)));
            one.resume();
            assertThat(one.startOrder()).containsExactly(1L, 1L);
        }
    }

    @Nested
    class StoppingEverything {
        @Test
        void stopsWhatRunsAndStartsNothingMore() {
            TestScheduler two = TestScheduler.on(Capacities.gpus(2));
            List.of(1, 1, 1).forEach(two::submit);
            two.starts(1);
            assertThat(two.step(new StopEverything(two.now(), "root")).effects())
                    .containsExactly(
                            new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1), null),
                            new StopRun(RunnerKind.CONTAINER, new Attempt(new JobId(2), 1), null));
            two.exits(1);
            two.submit(1);
            assertThat(outcome(two, 1).sentence()).isEqualTo("cancelled by root");
            assertThat(two.live()).containsExactly(2L);
            assertThat(two.state(3)).isEqualTo(StateName.QUEUED);
            assertThat(two.state(4)).isEqualTo(StateName.QUEUED);
        }

        @Test
        void doesNotStopAJobTwice() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.cancel(1);
            assertThat(one.step(new StopEverything(one.now(), "root")).effects())
                    .isEmpty();
        }
    }

    @Nested
    class Ids {
        @Test
        void countOnFromTheHighestEverGivenOut() {
            Machine machine = Machine.idle(Capacities.gpus(1), 41);
            Step step = Scheduler.step(
                    machine, new SubmitJob(TestJobs.SUBMITTED, TestJobs.spec(1), TestJobs.PROGRAM, TestJobs.ADA, null));
            assertThat(step.machine().lastId()).isEqualTo(42);
            assertThat(((Reply.Accepted) step.reply()).job()).isEqualTo(TestJobs.pending(42, 1));
        }

        @Test
        void areNotUsedAgainWhenTheLastJobIsCancelledOrHasEnded() {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.exits(1);
            one.submitPending(1);
            one.cancel(2);
            assertThat(one.submit(1).id()).isEqualTo(new JobId(3));
        }
    }

    private static Allocation allocation(TestScheduler driver, long id) {
        return ((Live) driver.job(id).state()).allocation();
    }

    private static Outcome outcome(TestScheduler driver, long id) {
        return ((Finished) driver.job(id).state()).outcome();
    }
}
