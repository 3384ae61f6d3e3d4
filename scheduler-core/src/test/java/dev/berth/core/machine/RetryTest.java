package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Finished;
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
import dev.berth.core.machine.Expectation.Ends;
import dev.berth.core.machine.Input.DatesReached;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobTable.Line;
import dev.berth.core.machine.Transition.Moved;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of which an attempt fails that are to be retried. */
class RetryTest {
    private static final Retry EVERY = retry(3, "exit,oom,lost,timeout", RetryDelay.NONE, false);

    /** Said here once more: the reasons of ends after which such a job is retried. */
    private static final Set<OutcomeReason> FAILURES = Set.of(
            OutcomeReason.EXITED_NONZERO,
            OutcomeReason.OUT_OF_MEMORY,
            OutcomeReason.CONTAINER_LOST,
            OutcomeReason.MACHINE_REBOOTED,
            OutcomeReason.ENGINE_STOPPED,
            OutcomeReason.DEVICE_LOST,
            OutcomeReason.NODE_LOST,
            OutcomeReason.PREEMPTED,
            OutcomeReason.TARGET_LOST,
            OutcomeReason.TIME_LIMIT,
            OutcomeReason.IDLE_TIMEOUT);

    private static Retry retry(int most, String causes, RetryDelay delay, boolean atEnd) {
        return new Retry(most, RetryCauses.parse(causes), delay, atEnd);
    }

    private static JobSpec spec(Retry retry) {
        return TestJobs.spec(1).with(retry);
    }

    /** A machine of one GPU with a job that runs on it. */
    private static TestScheduler oneWith(Retry retry) {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(spec(retry));
        one.imageArrives(1);
        return one;
    }

    static Stream<Arguments> everySituationTimesEveryEvent() {
        return JobMachineTest.everySituationTimesEveryEvent();
    }

    /** Where the table of plain jobs has an end by a failure, this one goes on; for all else it is a plain job. */
    @ParameterizedTest(name = "{0} meets {1}")
    @MethodSource("everySituationTimesEveryEvent")
    void aRetriedJobGoesOnWhereAnotherFails(Situation situation, News news) {
        Line line = JobTable.lines(situation, news).getFirst();
        if (!(line.expectation() instanceof Ends ends)
                || !FAILURES.contains(ends.outcome().reason())) {
            return;
        }
        Job plain = JobTable.job(situation);
        Job job = new Job(plain.id(), plain.spec().with(EVERY), plain.owner(), plain.submittedAt(), plain.state());
        JobEvent event = news.about(situation.attempt());
        ImageState image = situation.isAtTarget() ? new ImageState.Ready("") : new ImageState.Pending();
        assertThat(JobMachine.on(job, event, JobTable.NOW))
                .isEqualTo(new Moved(
                        new Queued(situation.attempt() + 1, image),
                        owed(job, ends, situation),
                        withoutWayOut(ends.state(situation.attempt())),
                        true));
    }

    /** A task in a pack has no container of its own, and a job at a target fetches no image. */
    private static List<Effect> owed(Job job, Ends ends, Situation situation) {
        Effect release = new Effect.ReleaseRun(job);
        if (situation.isAtTarget()) {
            return List.of(release);
        }
        return ends.owes().isEmpty() ? List.of(TestJobs.fetch(7)) : List.of(release, TestJobs.fetch(7));
    }

    /** What a submitter could do about it is no news where Berth does it. */
    private static Finished withoutWayOut(Finished end) {
        Outcome outcome = end.outcome();
        String sentence = outcome.sentence().split("; berth resubmit", 2)[0];
        return new Finished(
                end.attempt(),
                end.startedAt(),
                end.endedAt(),
                end.ran(),
                new Outcome(outcome.state(), outcome.reason(), sentence, outcome.exitCode()));
    }

    @Test
    void theTableHasEveryKindOfFailure() {
        assertThat(JobTable.LINES.stream()
                        .map(Line::expectation)
                        .filter(Ends.class::isInstance)
                        .map(ends -> ((Ends) ends).outcome().reason()))
                .containsAll(FAILURES);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit      | EXITED_NONZERO   | 3   | true",
                "exit      | EXITED_NONZERO   | 137 | true",
                "exit      | EXITED           | 0   | false",
                "exit      | OUT_OF_MEMORY    | 137 | false",
                "exit      | TIME_LIMIT       | 143 | false",
                "exit      | CONTAINER_LOST   |     | false",
                "code:75   | EXITED_NONZERO   | 75  | true",
                "code:75   | EXITED_NONZERO   | 74  | false",
                "code:75   | OUT_OF_MEMORY    | 75  | false",
                "code:1,oom| EXITED_NONZERO   | 1   | true",
                "code:1,oom| OUT_OF_MEMORY    | 137 | true",
                "oom       | EXITED_NONZERO   | 137 | false",
                "lost      | CONTAINER_LOST   |     | true",
                "lost      | MACHINE_REBOOTED |     | true",
                "lost      | EXITED_NONZERO   | 1   | false",
                "timeout   | TIME_LIMIT       | 143 | true",
                "timeout   | IDLE_TIMEOUT     | 143 | true",
                "timeout   | EXITED_NONZERO   | 143 | false",
                "exit,oom,lost,timeout | CANCELLED_BY_USER |  | false",
                "exit,oom,lost,timeout | START_FAILED      |  | false",
                "exit,oom,lost,timeout | IMAGE_UNAVAILABLE |  | false",
                "exit,oom,lost,timeout | NEVER_FITS        |  | false",
                "exit,oom,lost,timeout | DEPENDENCY_FAILED |  | false"
            })
    void theCausesAreWhatTheirWordsSay(String causes, OutcomeReason reason, Integer code, boolean isRetried) {
        StateName state = switch (reason) {
            case EXITED -> StateName.COMPLETED;
            case OUT_OF_MEMORY -> StateName.OUT_OF_MEMORY;
            case TIME_LIMIT, IDLE_TIMEOUT -> StateName.TIMEOUT;
            case CANCELLED_BY_USER -> StateName.CANCELLED;
            case CONTAINER_LOST, MACHINE_REBOOTED, ENGINE_STOPPED, DEVICE_LOST -> StateName.LOST;
            default -> StateName.FAILED;
        };
        Outcome end = new Outcome(state, reason, "so it was", code);
        Retry retry = retry(2, causes, RetryDelay.NONE, false);
        assertThat(retry.follows(end, 0)).isEqualTo(isRetried);
        assertThat(retry.follows(end, 1)).isEqualTo(isRetried);
        assertThat(retry.follows(end, 2)).as("both are used").isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "30s, 0, 30",
        "30s, 5, 30",
        "1m..1h, 0, 60",
        "1m..1h, 1, 120",
        "1m..1h, 5, 1920",
        "1m..1h, 6, 3600",
        "1m..1h, 99, 3600",
        "0, 3, 0",
        "40s..1m, 1, 60",
        "01:00:00..2h, 1, 7200"
    })
    void aDelayDoublesUpToTheLongest(String text, int used, long seconds) {
        RetryDelay delay = RetryDelay.parse(text);
        assertThat(new Retry(100, RetryCauses.USUAL, delay, false).delay(used)).hasSeconds(seconds);
        assertThat(RetryDelay.parse(delay.toString())).isEqualTo(delay);
    }

    @Test
    void retriesThatAreUsedUpAreToldOf() {
        TestScheduler one = oneWith(retry(1, "exit", RetryDelay.NONE, false));
        one.fails(1);
        assertThat(one.job(1).retried()).isEqualTo(1);
        one.imageArrives(1);
        one.fails(1);
        assertThat(one.state(1)).isEqualTo(StateName.FAILED);
        assertThat(((Finished) one.job(1).state()).outcome().sentence())
                .isEqualTo("after one retry: the program ended with exit code 3");
    }

    @Test
    void whatTheMachineLosesIsQueuedAgainWithoutARetry() {
        Job job = TestJobs.job(
                7,
                TestJobs.requeued(1).with(retry(1, "lost", RetryDelay.NONE, false)),
                TestJobs.running(7, 0).state());
        Moved moved = (Moved) JobMachine.on(job, new JobEvent.RunGone(1), JobTable.NOW);
        assertThat(moved.isRetry()).isFalse();
        assertThat(moved.attempt()).isNotNull();
    }

    /** What the machine loses may be lost ten times beside the retries. */
    @Test
    void retriesAreNotCountedAsLosses() {
        JobSpec spec = TestJobs.requeued(1).with(retry(5, "exit", RetryDelay.NONE, false));
        Job job = new Job(
                new JobId(7),
                spec,
                TestJobs.ADA,
                TestJobs.SUBMITTED,
                new Running(14, TestJobs.allocation(0), TestJobs.STARTED),
                null,
                5,
                null);
        assertThat(((Moved) JobMachine.on(job, new JobEvent.RunGone(14), JobTable.NOW)).next())
                .isInstanceOf(Queued.class);
        Job last = job.with(new Running(15, TestJobs.allocation(0), TestJobs.STARTED));
        assertThat(((Moved) JobMachine.on(last, new JobEvent.RunGone(15), JobTable.NOW)).next())
                .isInstanceOf(Finished.class);
    }

    /** A cancel wins over a retry that would follow, also where the stop is under way. */
    @Test
    void aJobThatIsCancelledIsNotRetried() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(TestJobs.spec(1, Duration.ofMinutes(1)).with(EVERY));
        one.imageArrives(1);
        one.starts(1);
        one.passes(Duration.ofMinutes(1));
        assertThat(((Stopping) one.job(1).state()).cause()).isInstanceOf(StopCause.TimeLimit.class);
        one.cancel(1);
        assertThat(((Stopping) one.job(1).state()).cause()).isInstanceOf(StopCause.Cancelled.class);
        one.tell(1, new RunExited(1, 143, false, null, one.now()));
        assertThat(one.state(1)).isEqualTo(StateName.CANCELLED);
    }

    @Test
    void aRetryAtItsOldPlaceComesBeforeAllThatWereSubmittedLater() {
        TestScheduler one = oneWith(EVERY);
        one.submit(1);
        one.submit(1);
        one.fails(1);
        assertThat(one.live())
                .as("nobody overtakes it while its image is looked for")
                .isEmpty();
        one.imageArrives(1);
        assertThat(one.live()).containsExactly(1L);
    }

    @Test
    void aRetryAtTheEndComesBehindAllThatWereSubmittedBeforeIt() {
        TestScheduler one = oneWith(retry(2, "exit", RetryDelay.NONE, true));
        one.submit(1);
        one.fails(1);
        assertThat(one.job(1).turn()).isEqualTo(new JobId(3));
        Job later = one.submit(1);
        assertThat(later.id()).as("the number of the turn is nobody's").isEqualTo(new JobId(4));
        one.imageArrives(1);
        assertThat(one.live()).containsExactly(2L);
        one.exits(2);
        assertThat(one.live()).containsExactly(1L);
        one.fails(1);
        assertThat(one.job(1).turn()).isEqualTo(new JobId(5));
        assertThat(one.live()).containsExactly(4L);
    }

    @Test
    void aRetryAtTheEndKeepsItsPlaceThroughARestart() {
        TestScheduler one = oneWith(retry(2, "exit", RetryDelay.NONE, true));
        one.submit(1);
        one.submit(1);
        one.fails(1);
        one.imageArrives(1);
        TestScheduler next = one.again(Capacities.gpus(1));
        next.readQueue(Lane.MAIN);
        assertThat(next.machine().window(Lane.MAIN).jobs())
                .extracting(job -> job.id().value())
                .containsExactly(3L, 1L);
    }

    @Test
    void theDelayOfARetryCountsFromWhenBerthHearsOfTheEndAlsoOfWhatItStops() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submit(TestJobs.spec(1, Duration.ofMinutes(1)).with(retry(1, "timeout", RetryDelay.parse("1m"), false)));
        one.imageArrives(1);
        one.starts(1);
        Instant end = one.now();
        one.passes(Duration.ofMinutes(1));
        one.tell(1, new RunExited(1, 1, false, null, end));
        assertThat(one.job(1).state().unmet().begin()).isEqualTo(end.plusSeconds(120));
    }

    @Test
    void aRetryThatIsDelayedHoldsUpNobodyAndIsThenAsOldAsItsPlace() {
        TestScheduler one = oneWith(retry(2, "exit", RetryDelay.parse("1m..1h"), false));
        one.submit(1);
        one.submit(1);
        Step failed = one.fails(1);
        assertThat(failed.effects()).doesNotContain(TestJobs.fetch(1));
        assertThat(one.job(1).state()).isInstanceOf(Deferred.class);
        assertThat(one.job(1).state().unmet().begin()).isEqualTo(one.now().plusSeconds(60));
        assertThat(one.live()).containsExactly(2L);
        one.passes(Duration.ofMinutes(1));
        one.step(new DatesReached(one.now(), List.of(one.job(1)), false));
        one.imageArrives(1);
        one.exits(2);
        assertThat(one.live()).containsExactly(1L);
        one.fails(1);
        assertThat(one.job(1).state().unmet().begin())
                .as("it doubles")
                .isEqualTo(one.now().plusSeconds(120));
    }

    @Test
    void whoWaitsForAJobIsToldOfItsLastEndAlone() {
        TestScheduler one = oneWith(retry(1, "exit", RetryDelay.NONE, false));
        one.submit(TestJobs.after(
                1, new Prerequisites(null, List.of(new Dependency(DependencyKind.AFTER_NOT_OK, new JobId(1))), false)));
        one.fails(1);
        assertThat(one.job(2).state()).isInstanceOf(Deferred.class);
        one.imageArrives(1);
        one.fails(1);
        assertThat(one.job(2).state()).isInstanceOf(Queued.class);
    }

    @Test
    void aTaskIsRetriedByItselfAndComesBeforeTheLaterOnesOfItsArray() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submitArray(spec(EVERY).with(Tasks.parse("0-2")));
        long first = one.task(1, 0);
        assertThat(one.live()).containsExactly(first);
        one.fails(first);
        one.imageArrives(first);
        assertThat(one.live()).containsExactly(first);
        one.exits(first);
        assertThat(one.live()).containsExactly(one.task(1, 1));
        assertThat(one.job(1).retried()).isZero();
    }

    @Test
    void aTaskAtTheEndComesBehindItsArray() {
        TestScheduler one = TestScheduler.on(Capacities.gpus(1));
        one.submitArray(spec(retry(1, "exit", RetryDelay.NONE, true)).with(Tasks.parse("0-1")));
        long first = one.task(1, 0);
        one.fails(first);
        one.imageArrives(first);
        assertThat(one.live()).containsExactly(one.task(1, 1));
        one.exits(one.task(1, 1));
        assertThat(one.live()).containsExactly(first);
        one.exits(first);
        assertThat(one.state(1)).isEqualTo(StateName.COMPLETED);
    }

    @Test
    void theHistorySaysHowAnAttemptEndedAndWhichRetryFollows() {
        TestScheduler one = oneWith(EVERY);
        one.starts(1);
        Step failed = one.tell(1, new RunExited(1, 3, false, null, one.now()));
        assertThat(failed.changes())
                .filteredOn(Change.Advanced.class::isInstance)
                .first()
                .extracting(change -> ((Change.Advanced) change).sentence())
                .isEqualTo("FAILED: the program ended with exit code 3; retry 1 of 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "exit;oom", "code:0", "code:256", "code:", "EXIT", "code:-1", "exit,", "code:1e2"})
    void aCauseThatIsNoneBreaksTheRule(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryCauses.parse(text))
                .withMessage(RetryCauses.RULE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "1h..1m", "1m..", "..1h", "31d", "1m...1h", "-1", "0..1h"})
    void aDelayThatIsNoneBreaksARule(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryDelay.parse(text))
                .withMessageStartingWith("must ");
    }
}
