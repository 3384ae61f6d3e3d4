package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.JobState.Starting;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.job.StopCause;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Expectation.Ends;
import dev.berth.core.machine.Expectation.Ignores;
import dev.berth.core.machine.Expectation.Impossible;
import dev.berth.core.machine.Expectation.Moves;
import dev.berth.core.machine.Expectation.Owed;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.JobEvent.OfAttempt;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobTable.Line;
import dev.berth.core.machine.Transition.Ignored;
import dev.berth.core.machine.Transition.Moved;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class JobMachineTest {

    static Stream<Arguments> everySituationTimesEveryEvent() {
        return Arrays.stream(Situation.values())
                .flatMap(situation -> Arrays.stream(News.values()).map(news -> Arguments.of(situation, news)));
    }

    @ParameterizedTest(name = "{0} meets {1}")
    @MethodSource("everySituationTimesEveryEvent")
    void everySituationAnswersEveryEventAsTheTableSays(Situation situation, News news) {
        List<Line> lines = JobTable.lines(situation, news);
        assertThat(lines)
                .as("lines of JobTable that say what %s answers to %s", situation, news)
                .hasSize(1);
        Job job = JobTable.job(situation);
        JobEvent event = news.about(situation.attempt());
        String pair = "%s meets %s".formatted(situation, news);
        switch (lines.getFirst().expectation()) {
            case Moves(Situation next, int further, List<Owed> owes) ->
                assertMoved(pair, job, event, next(next, job, situation.attempt() + further), owes);
            case Ends ends -> assertMoved(pair, job, event, ends.state(situation.attempt()), ends.owes());
            case Ignores(String reason) ->
                assertThat(answer(job, event)).as(pair).isEqualTo(new Ignored(reason));
            case Impossible(String message) ->
                assertThatIllegalStateException()
                        .as(pair)
                        .isThrownBy(() -> answer(job, event))
                        .withMessageContaining("job 7")
                        .withMessageContaining(message);
        }
    }

    /** What a target has holds nothing of the machine in whatever comes next. */
    private static JobState next(Situation next, Job job, int attempt) {
        return job.spec().isAtTarget() ? next.state(attempt, Allocation.NONE) : next.state(attempt);
    }

    private static void assertMoved(String pair, Job job, JobEvent event, JobState next, List<Owed> owes) {
        List<Effect> effects = owes.stream().map(owed -> owed.to(job)).toList();
        assertThat(answer(job, event)).as(pair).isEqualTo(new Moved(next, effects, null, false));
    }

    private static Transition answer(Job job, JobEvent event) {
        return JobMachine.on(job, event, JobTable.NOW);
    }

    /** Databases out there and readers of the stream of events have these names. */
    @ParameterizedTest
    @EnumSource
    void anEventIsKeptUnderItsName(News news) {
        assertThat(news.about(1).name()).isEqualTo(news.label().replaceFirst(",.*", ""));
    }

    @Test
    void everyEventThatCanHappenStandsInTheTable() {
        assertThat(classes(Arrays.stream(News.values()).map(news -> news.about(2))))
                .isEqualTo(Alternatives.of(JobEvent.class));
    }

    @Test
    void everyStateThatAJobCanBeInStandsInTheTable() {
        List<JobState> states =
                Arrays.stream(Situation.values()).map(Situation::state).toList();
        assertThat(classes(states.stream())).isEqualTo(Alternatives.of(JobState.class));
        assertThat(classes(states.stream().filter(Queued.class::isInstance).map(state -> ((Queued) state).image())))
                .isEqualTo(Alternatives.of(ImageState.class));
        assertThat(classes(states.stream().filter(Stopping.class::isInstance).map(state -> ((Stopping) state).cause())))
                .isEqualTo(Alternatives.of(StopCause.class));
        assertThat(states.stream().map(JobState::name)).contains(StateName.values());
    }

    @Test
    void everyReasonWhyAJobCanEndStandsInTheTable() {
        assertThat(JobTable.LINES.stream()
                        .map(Line::expectation)
                        .filter(Ends.class::isInstance)
                        .map(expectation -> ((Ends) expectation).outcome().reason()))
                .contains(OutcomeReason.values());
    }

    private static Set<Class<?>> classes(Stream<?> values) {
        return values.map(Object::getClass).collect(Collectors.toSet());
    }

    @ParameterizedTest
    @EnumSource(Situation.class)
    void newsOfAnOlderAttemptIsIgnoredInEverySituation(Situation situation) {
        assertFenced(situation, situation.attempt() - 1);
    }

    @ParameterizedTest
    @EnumSource(Situation.class)
    void newsOfANewerAttemptIsIgnoredInEverySituation(Situation situation) {
        assertFenced(situation, situation.attempt() + 1);
    }

    private static void assertFenced(Situation situation, int attempt) {
        List<JobEvent> news = Arrays.stream(News.values())
                .map(kind -> kind.about(attempt))
                .filter(OfAttempt.class::isInstance)
                .toList();
        assertThat(news)
                .hasSizeGreaterThanOrEqualTo(6)
                .allSatisfy(event -> assertThat(answer(JobTable.job(situation), event))
                        .isEqualTo(new Ignored("news of attempt %d, the job is at attempt %d"
                                .formatted(attempt, situation.attempt()))));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "2, 2",
        "127, 127",
        "128, 128",
        "129, 129 (SIGHUP)",
        "130, 130 (SIGINT)",
        "134, 134 (SIGABRT)",
        "138, 138 (SIGUSR1)",
        "139, 139 (SIGSEGV)",
        "140, 140 (SIGUSR2)",
        "143, 143 (SIGTERM)",
        "192, 192",
        "255, 255"
    })
    void anExitCodeNamesTheSignalThatItStandsFor(int code, String words) {
        Transition answer =
                answer(JobTable.job(Situation.RUNNING), new RunExited(2, code, false, null, Situation.ENDED));
        Outcome outcome = ((Finished) ((Moved) answer).next()).outcome();
        assertThat(outcome.sentence()).isEqualTo("the program ended with exit code " + words);
        assertThat(outcome.exitCode()).isEqualTo(code);
    }

    @Test
    void anEndThatTheEngineDoesNotKnowIsSaidToBeUnknown() {
        Transition answer = answer(JobTable.job(Situation.RUNNING), new EngineStopped(2, 255, Situation.ENDED));
        assertThat(((Finished) ((Moved) answer).next()).outcome())
                .isEqualTo(new Outcome(
                        StateName.LOST,
                        OutcomeReason.ENGINE_STOPPED,
                        "the container engine was away when its program ended, and does not know how: it says 255, or"
                                + " nothing; berth resubmit 7 starts it anew, and submit --requeue lets Berth do that by"
                                + " itself",
                        null));
    }

    @Test
    void aContainerIsStartedByTheRunOfTheEngineThatIsAskedNext() {
        EngineRun next = new EngineRun("b1:200@9");
        Job job = JobTable.job(Situation.STARTING);
        Starting starting = (Starting) job.state();
        assertThat(answer(job, new RunCreated(2, next)))
                .isEqualTo(new Moved(
                        new Starting(2, starting.imageId(), starting.allocation(), next),
                        List.of(new StartRun(job, next)),
                        null,
                        false));
    }

    @Test
    void noProgramBeginsAfterItsEnd() {
        Instant late = Situation.ENDED.plusMillis(1);
        Transition answer = answer(JobTable.job(Situation.STARTING), new RunExited(2, 0, false, late, Situation.ENDED));
        assertThat(((Finished) ((Moved) answer).next()).startedAt()).isEqualTo(Situation.ENDED);
    }

    @Test
    void theImpossibleNamesTheStateAndTheEvent() {
        assertThatThrownBy(() -> answer(JobTable.job(Situation.READY), News.TIME_LIMIT_REACHED.about(2)))
                .hasMessage("job 7 is QUEUED and cannot have TimeLimitReached: the scheduler contradicts itself");
    }

    @Test
    void theWrittenPageOfJobStatesSaysWhatTheTableSays() {
        JobStatesPage.writeIfAsked();
        assertThat(JobStatesPage.written())
                .as("docs/job-states.md is stale; renew it: %s", JobStatesPage.HOW_TO_RENEW)
                .isEqualTo(JobStatesPage.fromTable());
    }
}
