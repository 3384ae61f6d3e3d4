package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Prerequisites;
import dev.berth.core.job.StateName;
import dev.berth.core.job.Unmet;
import dev.berth.core.machine.Effect.FetchImage;
import dev.berth.core.machine.Input.DatesReached;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that wait for other jobs or for a date: they are in nobody's way, and are as old as their place once they are ready. */
class PrerequisitesTest {
    private static final int GRAPH = 1_000;

    private static Dependency on(DependencyKind kind, long job) {
        return new Dependency(kind, new JobId(job));
    }

    private static Prerequisites afterOk(long... jobs) {
        return new Prerequisites(
                null,
                Arrays.stream(jobs)
                        .mapToObj(job -> on(DependencyKind.AFTER_OK, job))
                        .toList(),
                false);
    }

    private static Prerequisites after(DependencyKind kind, long job, boolean keepWaiting) {
        return new Prerequisites(null, List.of(on(kind, job)), keepWaiting);
    }

    private static Prerequisites begin(Instant date) {
        return new Prerequisites(date, List.of(), false);
    }

    /** The seed's queue with one that waits for the second: while it waits it is in nobody's way, and then it is fourth. */
    @Test
    void aJobThatWaitsIsPassedByAndIsThenAsOldAsItsPlace() {
        TestScheduler four = TestScheduler.on(Capacities.gpus(4));
        List.of(2, 2, 3).forEach(four::submit);
        four.submit(TestJobs.after(3, afterOk(2)));
        four.submit(3);
        four.submit(1);
        assertThat(four.live()).containsExactly(1L, 2L);
        assertThat(four.machine().window(Lane.MAIN).jobs())
                .extracting(job -> job.id().value())
                .containsExactly(3L, 5L, 6L);

        four.exits(1);
        four.exits(2);
        assertThat(four.live()).as("the third has its three").containsExactly(3L);
        assertThat(four.machine().window(Lane.MAIN).jobs())
                .as("the fourth has become ready and is before the fifth")
                .extracting(job -> job.id().value())
                .containsExactly(4L, 5L, 6L);
        four.exits(3);
        assertThat(four.live())
                .as("its image is being looked for, and nobody overtakes it")
                .isEmpty();
        four.imageArrives(4);
        assertThat(four.live()).containsExactly(4L);
        four.exits(4);
        assertThat(four.startOrder()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void whatOthersWaitForGivesItsGpusToTheFirstOfAllThatAreReadyThen() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        one.submit(TestJobs.after(1, afterOk(1)));
        one.submit(1);
        Step step = one.exits(1);
        assertThat(step.effects()).contains(TestJobs.fetch(2));
        one.imageArrives(2);
        assertThat(one.startOrder()).containsExactly(1L, 2L);
    }

    @Test
    void allOfThemHaveToEnd() {
        TestScheduler two = TestScheduler.on(Capacities.gpus(2));
        two.submit(1);
        two.submit(1);
        two.submit(TestJobs.after(1, afterOk(1, 2)));
        two.exits(1);
        assertThat(two.job(3).state()).isInstanceOf(Deferred.class);
        two.exits(2);
        assertThat(two.job(3).state()).isInstanceOf(Queued.class);
    }

    @Test
    void oneThatCannotBeMetEndsAllThatWaitForItAtOnce() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        for (long id = 2; id < 9; id++) {
            one.submit(TestJobs.after(1, afterOk(id - 1)));
        }
        one.submit(1);
        one.fails(1);
        assertThat(one.stored().stream()
                        .filter(job -> job.id().value() > 1 && job.id().value() < 9))
                .extracting(PrerequisitesTest::reason)
                .containsOnly(OutcomeReason.DEPENDENCY_FAILED);
        Finished end = (Finished) one.job(2).state();
        assertThat(end.name()).isEqualTo(StateName.FAILED);
        assertThat(end.attempt()).isZero();
        assertThat(end.outcome().sentence())
                .isEqualTo(
                        "job 1 has ended FAILED, so that afterok:1 cannot be met; berth resubmit 2 queues it anew, waiting for nothing");
        assertThat(one.live()).as("the next that is ready").containsExactly(9L);
    }

    private static @Nullable OutcomeReason reason(Job job) {
        return job.state() instanceof Finished end ? end.outcome().reason() : null;
    }

    @Test
    void whoWantsToKeepsWaitingForSomebodyToDecide() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        one.submit(TestJobs.after(1, after(DependencyKind.AFTER_OK, 1, true)));
        one.fails(1);
        assertThat(one.job(2).state())
                .isEqualTo(new Deferred(
                        1, new Unmet(null, new TreeSet<>(), new TreeSet<>(List.of(on(DependencyKind.AFTER_OK, 1))))));
        one.release(2);
        assertThat(one.job(2).state()).isInstanceOf(Queued.class);
    }

    @Test
    void theKindSaysHowTheOtherHasToEnd() {
        for (boolean fails : new boolean[] {false, true}) {
            TestScheduler one = TestScheduler.on(Capacities.gpus(1));
            one.submit(1);
            one.submit(TestJobs.after(1, after(DependencyKind.AFTER_ANY, 1, false)));
            one.submit(TestJobs.after(1, after(DependencyKind.AFTER_NOT_OK, 1, false)));
            Step _ = fails ? one.fails(1) : one.exits(1);
            assertThat(one.job(2).state()).isInstanceOf(Queued.class);
            assertThat(one.job(3).state()).isInstanceOf(fails ? Queued.class : Finished.class);
        }
    }

    @Test
    void aCancelIsNoSuccess() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        one.submit(1);
        one.submit(TestJobs.after(1, afterOk(2)));
        one.submit(TestJobs.after(1, after(DependencyKind.AFTER_NOT_OK, 2, false)));
        one.cancel(2);
        assertThat(reason(one.job(3))).isEqualTo(OutcomeReason.DEPENDENCY_FAILED);
        assertThat(one.job(4).state()).isInstanceOf(Queued.class);
    }

    /** Whether it is submitted a moment before or after the other's end makes no difference. */
    @Test
    void whatHasEndedAtTheSubmitCountsAsWhatEndsLater() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        one.fails(1);
        one.submit(1);
        one.exits(2);
        assertThat(one.submit(TestJobs.after(1, afterOk(2))).reply()).isEqualTo(new Step.Reply.Accepted(one.job(3)));
        assertThat(one.job(3).state()).isInstanceOf(Queued.class);
        assertThat(one.submit(TestJobs.after(1, afterOk(2, 1))).reply()).isEqualTo(new Step.Reply.Accepted(one.job(4)));
        assertThat(reason(one.job(4))).isEqualTo(OutcomeReason.DEPENDENCY_FAILED);
        one.submit(TestJobs.after(1, after(DependencyKind.AFTER_OK, 1, true)));
        assertThat(one.job(5).state()).isInstanceOf(Deferred.class);
        one.submit(TestJobs.after(1, after(DependencyKind.AFTER_NOT_OK, 1, false)));
        assertThat(one.job(6).state()).isInstanceOf(Queued.class);
        one.submit(TestJobs.after(1, afterOk(4)));
        assertThat(reason(one.job(7))).isEqualTo(OutcomeReason.DEPENDENCY_FAILED);
    }

    @Test
    void aJobThatIsRequeuedHasNotEnded() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(TestJobs.requeued(1));
        one.imageArrives(1);
        one.submit(TestJobs.after(1, afterOk(1)));
        one.starts(1);
        one.tell(1, new JobEvent.RunGone(1));
        assertThat(one.job(2).state()).isInstanceOf(Deferred.class);
        one.imageArrives(1);
        one.exits(1);
        assertThat(one.job(2).state()).isInstanceOf(Queued.class);
    }

    @Test
    void aHeldJobHearsOfEndsAndWaitsForTheRestOnceItIsReleased() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        one.submit(1);
        one.submit(TestJobs.after(1, afterOk(1, 2)));
        one.hold(3);
        one.exits(1);
        assertThat(((Held) one.job(3).state()).unmet().pending()).containsExactly(on(DependencyKind.AFTER_OK, 2));
        one.release(3);
        assertThat(one.job(3).state()).isInstanceOf(Deferred.class);
        one.hold(3);
        one.exits(2);
        assertThat(((Held) one.job(3).state()).unmet().isEmpty()).isTrue();
        Step step = one.release(3);
        assertThat(one.job(3).state()).isInstanceOf(Queued.class);
        assertThat(step.effects()).contains(TestJobs.fetch(3));
    }

    @Test
    void aReleaseThatComesTwiceLetsNoJobPassWhatItWaitsFor() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        one.submit(TestJobs.after(1, afterOk(1)));
        one.hold(2);
        one.release(2);
        assertThat(one.release(2).reply()).isEqualTo(new Step.Reply.Ignored(one.job(2), "it is not held"));
        assertThat(one.job(2).state()).isInstanceOf(Deferred.class);
    }

    @Test
    void aReleaseDecidesAboutWhatCannotBeMetAndAboutNothingElse() {
        TestScheduler two = TestScheduler.on(Capacities.gpus(2));
        two.submit(1);
        two.submit(1);
        Prerequisites both =
                new Prerequisites(null, List.of(on(DependencyKind.AFTER_OK, 1), on(DependencyKind.AFTER_OK, 2)), true);
        two.submit(TestJobs.after(1, both));
        two.submit(TestJobs.after(1, both));
        two.fails(1);
        two.release(3);
        two.hold(4);
        two.release(4);
        Unmet second = new Unmet(null, new TreeSet<>(List.of(on(DependencyKind.AFTER_OK, 2))), new TreeSet<>());
        assertThat(two.job(3).state()).isEqualTo(new Deferred(1, second));
        Unmet undecided = new Unmet(null, second.pending(), new TreeSet<>(List.of(on(DependencyKind.AFTER_OK, 1))));
        assertThat(two.job(4).state())
                .as("the first release ends the hold alone")
                .isEqualTo(new Deferred(1, undecided));
        two.release(4);
        assertThat(two.job(4).state()).isEqualTo(new Deferred(1, second));
        two.exits(2);
        assertThat(two.job(3).state()).isInstanceOf(Queued.class);
        assertThat(two.job(4).state()).isInstanceOf(Queued.class);
    }

    @Test
    void aDateIsWaitedForAndThenThePlaceCounts() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        Instant date = one.now().plus(Duration.ofHours(2));
        one.submit(TestJobs.after(1, begin(date)));
        one.submit(1);
        one.submit(TestJobs.after(1, begin(one.now())));
        assertThat(one.job(4).state()).as("its date has come").isInstanceOf(Queued.class);
        one.step(new DatesReached(date.minusSeconds(1), List.of(one.job(2)), false));
        assertThat(one.job(2).state()).isEqualTo(new Deferred(1, new Unmet(date, new TreeSet<>(), new TreeSet<>())));
        one.step(new DatesReached(date, List.of(one.job(2)), false));
        assertThat(one.machine().window(Lane.MAIN).jobs())
                .extracting(job -> job.id().value())
                .containsExactly(2L, 3L, 4L);
    }

    @Test
    void theImageOfAJobFarBackIsLookedForWhenTheWindowComesToIt() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(1);
        for (int i = 0; i <= QueueWindow.MAX_JOBS; i++) {
            one.submitPending(1);
        }
        one.submit(TestJobs.after(1, afterOk(1)));
        assertThat(one.exits(1).effects()).noneMatch(FetchImage.class::isInstance);
    }

    /** A job starts only when all that it waits for has ended as asked, each in its turn, and none is left behind. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void inAGraphOfJobsNoneStartsTooEarlyAndNoneWaitsForEver(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TestScheduler some = TestScheduler.on(Capacities.gpus(4));
        List<Prerequisites> asked = new ArrayList<>(List.of(Prerequisites.NONE));
        int started = 0;
        while (asked.size() <= GRAPH || !some.live().isEmpty() || hasWaiting(some)) {
            if (asked.size() <= GRAPH && random.nextInt(3) > 0) {
                Prerequisites next = any(random, asked.size());
                asked.add(next);
                some.submit(TestJobs.after(1 + random.nextInt(3), next));
            } else if (!some.live().isEmpty()) {
                long job = some.live().get(random.nextInt(some.live().size()));
                Step _ = random.nextInt(3) == 0 ? some.fails(job) : some.exits(job);
            }
            for (Job job : some.machine().window(Lane.MAIN).jobs()) {
                Step _ = Machine.hasImage(job)
                        ? null
                        : some.imageArrives(job.id().value());
            }
            if (some.machine().room(Lane.MAIN) > 0) {
                some.readQueue(Lane.MAIN);
            }
            for (; started < some.startOrder().size(); started++) {
                long job = some.startOrder().get(started);
                assertThat(asked.get((int) job).dependencies())
                        .as("what job %s waits for", job)
                        .allMatch(
                                dependency -> some.job(dependency.job().value()).state() instanceof Finished end
                                        && dependency.kind().isMetBy(end.name()));
            }
        }
        assertThat(some.stored()).hasSize(GRAPH).allMatch(job -> job.state() instanceof Finished);
        assertThat(some.stored()).extracting(PrerequisitesTest::reason).contains(OutcomeReason.DEPENDENCY_FAILED);
        assertThat(started).isGreaterThan(GRAPH / 4);
    }

    private static boolean hasWaiting(TestScheduler scheduler) {
        boolean isStuck = scheduler.live().isEmpty()
                && scheduler.machine().window(Lane.MAIN).jobs().isEmpty()
                && scheduler.stored().stream().anyMatch(job -> job.state() instanceof Deferred);
        assertThat(isStuck).as("jobs wait and nothing will come").isFalse();
        return !scheduler.machine().window(Lane.MAIN).jobs().isEmpty();
    }

    private static Prerequisites any(SplittableRandom random, int jobs) {
        List<Dependency> dependencies = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0 && jobs > 1; count--) {
            DependencyKind kind = TestJobs.KINDS.get(random.nextInt(TestJobs.KINDS.size()));
            dependencies.add(on(kind, 1 + random.nextInt(jobs - 1)));
        }
        return new Prerequisites(null, dependencies, false);
    }
}
