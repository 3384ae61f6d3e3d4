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
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.StateName;
import dev.berth.core.job.TaskSet;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.JobEvent.CancelRequested;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.HoldRequested;
import dev.berth.core.machine.JobEvent.ReleaseRequested;
import dev.berth.core.machine.JobEvent.RunGone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArraysTest {
    private static final CancelRequested CANCEL = new CancelRequested(ADA.name());

    private static JobSpec array(int gpus, String tasks) {
        return TestJobs.spec(gpus).with(Tasks.parse(tasks));
    }

    private static TestScheduler scheduler(int gpus) {
        return TestScheduler.on(Capacities.gpus(gpus));
    }

    @Test
    void tasksStartInOrderOfIndexFromOnePlaceInTheQueue() {
        TestScheduler scheduler = scheduler(2);
        Job array = scheduler.submitArray(array(1, "3,7-9"));
        Job behind = scheduler.submit(1);

        assertThat(array.id().value()).isEqualTo(1);
        assertThat(behind.id().value()).isEqualTo(6);
        assertThat(scheduler.live()).containsExactly(2L, 3L);
        assertThat(scheduler.job(3).number()).isEqualTo("1_7");
        assertThat(scheduler.job(1).waiting()).hasToString("8-9");

        scheduler.exits(2);
        scheduler.exits(3);
        assertThat(scheduler.live()).containsExactly(4L, 5L);
        assertThat(scheduler.job(1).state()).isInstanceOf(Dispatched.class);
        scheduler.exits(4);
        assertThat(scheduler.startOrder()).containsExactly(2L, 3L, 4L, 5L, 6L);
        assertThat(scheduler.state(1)).isEqualTo(StateName.RUNNING);
        scheduler.exits(5);
        assertThat(scheduler.state(1)).isEqualTo(StateName.COMPLETED);
    }

    @Test
    void whatATaskHasLeftIsNamedByItsArray() {
        TestScheduler scheduler = TestScheduler.on(Capacities.shared(1, 1));
        scheduler.submitArray(array(1, "5-7"));
        scheduler.exits(2);
        assertThat(Waiting.of(scheduler.machine(), scheduler.job(1), 0, Optional.empty())
                        .sentence())
                .contains("what job 1_5 has left is being looked at");
        assertThat(scheduler.machine().number(new JobId(9))).isEqualTo("9");
    }

    @Test
    void aThrottledArrayKeepsItsPlaceAndHoldsNobodyUp() {
        TestScheduler scheduler = scheduler(3);
        scheduler.submitArray(array(1, "0-4%2"));
        Job behind = scheduler.submit(1);

        assertThat(scheduler.live()).containsExactly(2L, 3L, behind.id().value());
        assertThat(Waiting.of(scheduler.machine(), scheduler.job(1), 0, Optional.empty()))
                .isEqualTo(new Waiting(
                        QueueReason.ARRAY_THROTTLE,
                        "2 of its tasks run, as many as may at the same time; it keeps its place and holds nobody up"));
        Job later = scheduler.submit(1);
        scheduler.exits(2);
        assertThat(scheduler.live()).containsExactly(3L, 4L, behind.id().value());
        scheduler.exits(behind.id().value());
        assertThat(scheduler.live()).containsExactly(3L, 4L, later.id().value());
    }

    @Test
    void aTaskBeforeItsTurnWaitsForThoseBeforeItAndAsItsArrayDoes() {
        TestScheduler scheduler = scheduler(2);
        Job array = scheduler.submitArray(array(1, "0-4%1"));
        Machine machine = scheduler.machine();
        Job task = array.task(4);
        Waiting behind = new Waiting(QueueReason.BEHIND_HEAD, "one job is ahead of it");
        assertThat(Waiting.ofTask(machine, task, behind, 0)).isEqualTo(behind);
        assertThat(Waiting.ofTask(machine, task, behind, 1))
                .isEqualTo(new Waiting(
                        QueueReason.ARRAY, "one task of its array comes before it; the array: one job is ahead of it"));
        Waiting throttled = new Waiting(QueueReason.ARRAY_THROTTLE, "one of its tasks runs");
        assertThat(Waiting.ofTask(machine, task, throttled, 0).sentence()).startsWith("one task of its array runs, ");
        assertThat(Waiting.ofTask(machine, task, throttled, 7))
                .isEqualTo(new Waiting(
                        QueueReason.ARRAY_THROTTLE,
                        "7 tasks of its array come before it; the array: one of its tasks runs"));
    }

    @Test
    void aTaskThatIsBackInTheQueueStartsBeforeTheLaterOnesOfItsArray() {
        TestScheduler scheduler = scheduler(1);
        scheduler.submitArray(TestJobs.requeued(1).with(Tasks.parse("0-2")));
        scheduler.starts(2);
        scheduler.tell(2, new RunGone(1));

        assertThat(scheduler.state(2)).isEqualTo(StateName.QUEUED);
        assertThat(scheduler.live()).isEmpty();
        scheduler.imageArrives(2);
        assertThat(scheduler.live()).containsExactly(2L);
        assertThat(scheduler.job(2).state().attempt()).isEqualTo(2);
    }

    @Test
    void aTaskWhoseGpusAreTakenGoesBackToItsPlace() {
        TestScheduler scheduler = scheduler(1).undecided();
        scheduler.submitArray(array(1, "0-2"));
        scheduler.tell(2, new GpusTaken(1, "somebody has them"));

        assertThat(scheduler.live()).containsExactly(2L);
        assertThat(scheduler.job(1).waiting()).hasToString("1-2");
    }

    @Test
    void aCancelledArrayEndsWithTheLastOfItsTasks() {
        TestScheduler scheduler = scheduler(1);
        scheduler.submitArray(array(1, "0-9"));
        scheduler.cancel(1);

        assertThat(scheduler.state(1)).isEqualTo(StateName.RUNNING);
        assertThat(scheduler.job(1).task(5).state().name()).isEqualTo(StateName.CANCELLED);
        scheduler.exits(2);
        assertThat(scheduler.state(1)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.startOrder()).containsExactly(2L);
    }

    @Test
    void anArrayThatHadNoTurnIsCancelledAtOnce() {
        TestScheduler scheduler = scheduler(1);
        Job first = scheduler.submit(1);
        scheduler.submitArray(array(1, "0-99999"));
        scheduler.cancel(2);

        assertThat(scheduler.state(2)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.stored()).hasSize(2);
        scheduler.exits(first.id().value());
        assertThat(scheduler.live()).isEmpty();
        assertThat(scheduler.submit(1).id().value()).isEqualTo(100_003);
    }

    @Test
    void whatIsAskedOfATaskMakesItAJobOfItsOwn() {
        TestScheduler scheduler = scheduler(1);
        scheduler.submitArray(array(1, "0-3"));
        scheduler.tellTask(1, 2, CANCEL);
        scheduler.tellTask(1, 1, new HoldRequested(ADA.name()));

        assertThat(scheduler.state(scheduler.task(1, 2))).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.job(1).waiting()).hasToString("3");
        scheduler.exits(2);
        assertThat(scheduler.live()).containsExactly(scheduler.task(1, 3));
        scheduler.tellTask(1, 1, new ReleaseRequested(ADA.name()));
        scheduler.exits(scheduler.task(1, 3));
        assertThat(scheduler.live()).containsExactly(scheduler.task(1, 1));
        assertThat(scheduler.state(1)).isEqualTo(StateName.RUNNING);
        scheduler.exits(scheduler.task(1, 1));
        assertThat(((Finished) scheduler.job(1).state()).outcome().sentence())
                .isEqualTo("3 of its 4 tasks COMPLETED, 1 CANCELLED; berth ps --tasks 1 shows them");
    }

    @Test
    void aReleaseOfATaskThatIsNotHeldMakesNoJobOfIt() {
        TestScheduler scheduler = scheduler(1);
        scheduler.submitArray(array(1, "0-3"));
        Step step = scheduler.tellTask(1, 2, new ReleaseRequested(ADA.name()));

        assertThat(step.reply()).isInstanceOf(Step.Reply.Ignored.class);
        assertThat(step.changes()).isEmpty();
    }

    /** Others wait for single tasks of an array, each of which is in the queue for that. */
    @Test
    void aJobBehindManyTasksOfAThrottledArrayIsFound() {
        TestScheduler scheduler = scheduler(2);
        scheduler.submitArray(array(1, "0-299%1"));
        for (int index = 1; index < 300; index++) {
            scheduler.step(new Input.TaskAwaited(scheduler.now(), scheduler.job(1), index, 0));
        }
        Job behind = scheduler.submit(1);
        assertThat(scheduler.machine().find(behind.id())).as("in the window").isEmpty();
        while (scheduler.machine().room(Lane.MAIN) > 0) {
            scheduler.readQueue(Lane.MAIN);
        }
        assertThat(scheduler.live()).containsExactly(2L, behind.id().value());
    }

    /** A task of it may be back in the queue, and stand behind what was read. */
    @Test
    void anArrayAtTheEndOfAWindowStartsNothingBeforeTheQueueIsReadOn() {
        TestScheduler scheduler = scheduler(1);
        scheduler.submitArray(TestJobs.requeued(1).with(Tasks.parse("0-2")));
        scheduler.starts(2);
        scheduler.tell(2, new RunGone(1));
        TestScheduler next = scheduler.again(Capacities.gpus(1));
        Machine one = next.machine().with(Lane.MAIN, new QueueWindow(List.of(next.job(1)), true));
        assertThat(one.next(Lane.MAIN)).isEmpty();
        Machine all = next.machine().with(Lane.MAIN, new QueueWindow(List.of(next.job(1), next.job(2)), true));
        assertThat(all.next(Lane.MAIN)).contains(next.job(2));
    }

    @Test
    void noMoreSingleTasksAreDealtWithThanThereMayBeRanges() {
        TestScheduler scheduler = scheduler(1);
        Job running = scheduler.submit(1);
        Job array = scheduler.submitArray(array(1, "0-9999"));
        long id = array.id().value();
        for (int index = 1; index < 2 * TaskSet.MAX_RANGES - 1; index += 2) {
            assertThat(scheduler.tellTask(id, index, CANCEL).reply()).isInstanceOf(Step.Reply.Took.class);
        }
        assertThat(scheduler
                        .step(new Input.TaskHappening(
                                scheduler.now(), scheduler.job(id), 9_999, TaskSet.MAX_RANGES, CANCEL))
                        .reply())
                .as("so many are open")
                .isInstanceOf(Step.Reply.Refused.class);
        Step step = scheduler.tellTask(id, 5001, CANCEL);
        assertThat(step.reply())
                .isEqualTo(new Step.Reply.Refused("too many single tasks of array 2 were cancelled, held or waited for"
                        + " alone; ask it of the whole array"));
        assertThat(step.changes()).isEmpty();
        scheduler.cancel(id);
        assertThat(scheduler.state(id)).isEqualTo(StateName.CANCELLED);
        assertThat(scheduler.live()).containsExactly(running.id().value());
    }

    @Test
    void anArrayWhoseTasksFailIsFailedAndTellsThoseWhoWaitForIt() {
        TestScheduler scheduler = scheduler(2);
        Job array = scheduler.submitArray(array(1, "0-1"));
        Job after = waitingFor(scheduler, array, DependencyKind.AFTER_OK);
        Job anyway = waitingFor(scheduler, array, DependencyKind.AFTER_ANY);
        scheduler.fails(2);
        assertThat(scheduler.state(after.id().value())).isEqualTo(StateName.QUEUED);
        scheduler.exits(3);

        Finished end = (Finished) scheduler.job(1).state();
        assertThat(end.outcome().state()).isEqualTo(StateName.FAILED);
        assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.TASKS_FAILED);
        assertThat(scheduler.state(after.id().value())).isEqualTo(StateName.FAILED);
        scheduler.imageArrives(anyway.id().value());
        assertThat(scheduler.live()).containsExactly(anyway.id().value());
    }

    private static Job waitingFor(TestScheduler scheduler, Job other, DependencyKind kind) {
        Prerequisites prerequisites = new Prerequisites(null, List.of(new Dependency(kind, other.id())), false);
        return ((Step.Reply.Accepted)
                        scheduler.submit(TestJobs.after(1, prerequisites)).reply())
                .job();
    }

    @Test
    void anArrayWaitsForOthersAsAWhole() {
        TestScheduler scheduler = scheduler(2);
        Job first = scheduler.submit(1);
        Prerequisites prerequisites =
                new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_OK, first.id())), false);
        scheduler.submitArray(TestJobs.after(1, prerequisites).with(Tasks.parse("0-1")));
        assertThat(scheduler.live()).containsExactly(1L);
        scheduler.exits(1);
        scheduler.imageArrives(2);
        assertThat(scheduler.live()).containsExactly(3L, 4L);
    }

    @Test
    void aThrottleHoldsOverARestart() {
        TestScheduler scheduler = scheduler(4);
        scheduler.submitArray(array(1, "0-5%2"));
        TestScheduler next = scheduler.again(Capacities.gpus(4));
        next.readQueue(Lane.MAIN);

        assertThat(next.live()).containsExactly(2L, 3L);
        next.exits(2);
        assertThat(next.live()).containsExactly(3L, 4L);
    }

    @Test
    void theLatestStartOfAJobBehindAnArrayCountsItsTasks() {
        TestScheduler scheduler = scheduler(1);
        JobSpec limited = TestJobs.spec(1, Duration.ofHours(1));
        scheduler.submitArray(limited.with(Tasks.parse("0-2")));
        Job behind = scheduler.submit(1);
        scheduler.starts(2);
        Forecast.Assumptions assumptions = new Forecast.Assumptions(
                Duration.ofMinutes(1), _ -> true, _ -> scheduler.now().minusSeconds(60));

        Duration until = Duration.between(
                scheduler.now(),
                Forecast.latestStart(scheduler.machine(), behind.id(), scheduler.now(), assumptions)
                        .orElseThrow());
        assertThat(until).isBetween(Duration.ofHours(3), Duration.ofHours(3).plusMinutes(10));
        assertThat(Forecast.latestStart(scheduler.machine(), new JobId(1), scheduler.now(), assumptions)
                        .orElseThrow())
                .isBefore(scheduler.now().plus(Duration.ofMinutes(70)));
    }

    /** Whatever happens to its tasks, in whatever order, each has one turn an attempt, and the array ends with the last. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void everyTaskOfEveryArrayEnds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TestScheduler scheduler = scheduler(3);
        List<Long> arrays = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            if (step < 200 && arrays.size() < 8 && random.nextInt(8) == 0) {
                int tasks = 1 + random.nextInt(9);
                String throttle = random.nextBoolean() ? "" : "%" + (1 + random.nextInt(3));
                arrays.add(scheduler
                        .submitArray(array(1 + random.nextInt(2), "0-" + tasks + throttle))
                        .id()
                        .value());
            } else if (!arrays.isEmpty()) {
                happens(scheduler, random, arrays.get(random.nextInt(arrays.size())));
            }
        }
        for (Job job : List.copyOf(scheduler.stored())) {
            scheduler.release(job.id().value());
        }
        while (!scheduler.live().isEmpty()) {
            scheduler.exits(scheduler.live().getFirst());
        }
        assertThat(scheduler.stored()).allMatch(job -> job.state() instanceof Finished, "ended");
    }

    private static void happens(TestScheduler scheduler, SplittableRandom random, long array) {
        TaskSet all =
                Objects.requireNonNull(scheduler.job(array).spec().tasks()).all();
        int index = all.at(random.nextInt(all.size()));
        switch (random.nextInt(12)) {
            case 0 -> scheduler.tellTask(array, index, CANCEL);
            case 1 -> scheduler.tellTask(array, index, new HoldRequested(ADA.name()));
            case 2 -> scheduler.tellTask(array, index, new ReleaseRequested(ADA.name()));
            case 3 -> scheduler.hold(array);
            case 4, 5 -> scheduler.release(array);
            case 6 -> {
                if (random.nextInt(5) == 0) {
                    scheduler.cancel(array);
                }
            }
            default ->
                scheduler.live().stream()
                        .skip(random.nextInt(3))
                        .findFirst()
                        .ifPresent(random.nextInt(4) == 0 ? scheduler::fails : scheduler::exits);
        }
        scheduler.live().stream()
                .filter(id -> scheduler.job(id).state().name() == StateName.STOPPING)
                .forEach(scheduler::exits);
    }
}
