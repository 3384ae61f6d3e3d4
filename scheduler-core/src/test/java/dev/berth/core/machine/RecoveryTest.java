package dev.berth.core.machine;

import static dev.berth.core.machine.RecoveryTest.Finding.ALIVE;
import static dev.berth.core.machine.RecoveryTest.Finding.CREATED;
import static dev.berth.core.machine.RecoveryTest.Finding.EXITED;
import static dev.berth.core.machine.RecoveryTest.Finding.NONE;
import static dev.berth.core.machine.RecoveryTest.Finding.OTHER_ATTEMPT;
import static dev.berth.core.machine.RecoveryTest.Finding.UNKNOWN_JOB;
import static dev.berth.core.machine.Situation.CANCELLING;
import static dev.berth.core.machine.Situation.CANCELLING_STARTED;
import static dev.berth.core.machine.Situation.RUNNING;
import static dev.berth.core.machine.Situation.STARTING;
import static dev.berth.core.machine.Situation.STARTING_LAST_TRY;
import static dev.berth.core.machine.Situation.TIMING_OUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Effect.AdoptContainer;
import dev.berth.core.machine.Effect.ReleaseContainer;
import dev.berth.core.machine.Effect.StartContainer;
import dev.berth.core.machine.Effect.StopContainer;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.JobEvent.ContainerGone;
import dev.berth.core.machine.JobEvent.ContainerStarted;
import dev.berth.core.machine.Recovery.Condition;
import dev.berth.core.machine.Recovery.Found;
import dev.berth.core.machine.Recovery.Happening;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryTest {
    private static final JobId JOB = new JobId(7);
    private static final int ATTEMPT = 2;
    private static final JobId UNKNOWN = new JobId(99);

    /** What the engine has of the job, beside nothing else. */
    enum Finding {
        NONE,
        CREATED,
        ALIVE,
        EXITED,
        OTHER_ATTEMPT,
        UNKNOWN_JOB;

        List<Found> containers(int attempt) {
            Condition alive = new Condition.Alive(Situation.STARTED);
            return switch (this) {
                case NONE -> List.of();
                case CREATED -> List.of(new Found(JOB, attempt, new Condition.Created()));
                case ALIVE -> List.of(new Found(JOB, attempt, alive));
                case EXITED -> List.of(new Found(JOB, attempt, new Condition.Exited(137, true, Situation.ENDED)));
                case OTHER_ATTEMPT -> List.of(new Found(JOB, attempt - 1, alive));
                case UNKNOWN_JOB -> List.of(new Found(UNKNOWN, attempt, alive));
            };
        }
    }

    private record Line(Situation situation, Finding finding, List<JobEvent> events, List<Effect> effects) {
        Line owes(Effect... owed) {
            return new Line(situation, finding, events, List.of(owed));
        }

        Line hears(JobEvent... heard) {
            return new Line(situation, finding, List.of(heard), effects);
        }
    }

    private static final JobEvent STARTED = new ContainerStarted(ATTEMPT, Situation.STARTED);
    private static final JobEvent GONE = new ContainerGone(ATTEMPT);
    private static final JobEvent ENDED = new ContainerExited(ATTEMPT, 137, true, Situation.ENDED);
    private static final Effect START =
            new StartContainer(JobTable.job(STARTING), ATTEMPT, Jobs.IMAGE_ID, Situation.ALLOCATION);
    private static final Effect STOP = new StopContainer(JOB, ATTEMPT);
    private static final Effect ADOPT = new AdoptContainer(JOB, ATTEMPT);
    private static final Effect RELEASE_OTHER = new ReleaseContainer(JOB, ATTEMPT - 1);
    private static final Effect RELEASE_UNKNOWN = new ReleaseContainer(UNKNOWN, ATTEMPT);

    private static final List<Line> LINES = List.of(
            on(STARTING, NONE).owes(START),
            on(STARTING, CREATED).owes(START),
            on(STARTING, ALIVE).hears(STARTED).owes(ADOPT),
            on(STARTING, EXITED).hears(ENDED),
            on(STARTING, OTHER_ATTEMPT).owes(START, RELEASE_OTHER),
            on(STARTING, UNKNOWN_JOB).owes(START, RELEASE_UNKNOWN),
            //
            on(RUNNING, NONE).hears(GONE),
            on(RUNNING, CREATED).owes(STOP),
            on(RUNNING, ALIVE).hears(STARTED).owes(ADOPT),
            on(RUNNING, EXITED).hears(ENDED),
            on(RUNNING, OTHER_ATTEMPT).hears(GONE).owes(RELEASE_OTHER),
            on(RUNNING, UNKNOWN_JOB).hears(GONE).owes(RELEASE_UNKNOWN),
            //
            on(CANCELLING, NONE).hears(GONE),
            on(CANCELLING, CREATED).owes(STOP),
            on(CANCELLING, ALIVE).hears(STARTED).owes(ADOPT, STOP),
            on(CANCELLING, EXITED).hears(ENDED),
            on(CANCELLING, OTHER_ATTEMPT).hears(GONE).owes(RELEASE_OTHER),
            on(CANCELLING, UNKNOWN_JOB).hears(GONE).owes(RELEASE_UNKNOWN),
            //
            on(CANCELLING_STARTED, NONE).hears(GONE),
            on(CANCELLING_STARTED, CREATED).owes(STOP),
            on(CANCELLING_STARTED, ALIVE).hears(STARTED).owes(ADOPT, STOP),
            on(CANCELLING_STARTED, EXITED).hears(ENDED),
            on(CANCELLING_STARTED, OTHER_ATTEMPT).hears(GONE).owes(RELEASE_OTHER),
            on(CANCELLING_STARTED, UNKNOWN_JOB).hears(GONE).owes(RELEASE_UNKNOWN),
            //
            on(TIMING_OUT, NONE).hears(GONE),
            on(TIMING_OUT, CREATED).owes(STOP),
            on(TIMING_OUT, ALIVE).hears(STARTED).owes(ADOPT, STOP),
            on(TIMING_OUT, EXITED).hears(ENDED),
            on(TIMING_OUT, OTHER_ATTEMPT).hears(GONE).owes(RELEASE_OTHER),
            on(TIMING_OUT, UNKNOWN_JOB).hears(GONE).owes(RELEASE_UNKNOWN));

    static Stream<Arguments> everyLiveSituationTimesEveryFinding() {
        return liveSituations()
                .flatMap(situation -> Arrays.stream(Finding.values()).map(finding -> Arguments.of(situation, finding)));
    }

    @ParameterizedTest(name = "{0} finds {1}")
    @MethodSource("everyLiveSituationTimesEveryFinding")
    void everyLiveSituationAnswersEveryFindingAsTheTableSays(Situation situation, Finding finding) {
        List<Line> lines = LINES.stream()
                .filter(line -> line.situation == situation && line.finding == finding)
                .toList();
        assertThat(lines)
                .as("lines of RecoveryTest that say what %s owes when it finds %s", situation, finding)
                .hasSize(1);
        Line line = lines.getFirst();
        Recovery plan = Recovery.plan(List.of(JobTable.job(situation)), finding.containers(ATTEMPT));
        assertThat(plan.events())
                .isEqualTo(line.events.stream()
                        .map(event -> new Happening(JOB, event))
                        .toList());
        assertThat(plan.effects()).isEqualTo(line.effects);
    }

    @ParameterizedTest(name = "{0} finds {1}")
    @MethodSource("everyLiveSituationTimesEveryFinding")
    void whatARecoveryTellsIsNeverImpossible(Situation situation, Finding finding) {
        Job job = JobTable.job(situation);
        Recovery plan = Recovery.plan(List.of(job), finding.containers(ATTEMPT));
        assertThatCode(() -> plan.events().forEach(happening -> JobMachine.on(job, happening.event(), JobTable.NOW)))
                .doesNotThrowAnyException();
    }

    @Test
    void everyLiveStateAndEveryConditionStandsInTheTable() {
        assertThat(liveSituations()
                        .map(situation -> situation.state().getClass())
                        .collect(Collectors.toSet()))
                .hasSameSizeAs(Alternatives.of(Live.class));
        assertThat(Arrays.stream(Finding.values())
                        .flatMap(finding -> finding.containers(ATTEMPT).stream())
                        .map(found -> found.condition().getClass())
                        .collect(Collectors.toSet()))
                .hasSameSizeAs(Alternatives.of(Condition.class));
    }

    @Test
    void everyJobGetsItsOwnAnswer() {
        Job starting = Jobs.starting(1, 0);
        Recovery plan = Recovery.plan(
                List.of(starting, Jobs.running(2, 1), Jobs.running(3, 2)),
                List.of(
                        new Found(new JobId(2), 1, new Condition.Alive(Jobs.STARTED)),
                        new Found(new JobId(2), 4, new Condition.Created())));
        assertThat(plan.events())
                .containsExactly(
                        new Happening(new JobId(2), new ContainerStarted(1, Jobs.STARTED)),
                        new Happening(new JobId(3), new ContainerGone(1)));
        assertThat(plan.effects())
                .containsExactly(
                        new StartContainer(starting, 1, Jobs.IMAGE_ID, Jobs.allocation(0)),
                        new AdoptContainer(new JobId(2), 1),
                        new ReleaseContainer(new JobId(2), 4));
    }

    @Test
    void anIdleServerWithoutContainersOwesNothing() {
        assertThat(Recovery.plan(List.of(), List.of())).isEqualTo(new Recovery(List.of(), List.of()));
    }

    private static Stream<Situation> liveSituations() {
        return Arrays.stream(Situation.values())
                .filter(situation -> situation.state() instanceof Live && situation != STARTING_LAST_TRY);
    }

    private static Line on(Situation situation, Finding finding) {
        return new Line(situation, finding, List.of(), List.of());
    }
}
