package dev.berth.core.machine;

import static dev.berth.core.machine.RecoveryTest.Finding.ALIVE;
import static dev.berth.core.machine.RecoveryTest.Finding.CREATED;
import static dev.berth.core.machine.RecoveryTest.Finding.EARLIER_ALIVE;
import static dev.berth.core.machine.RecoveryTest.Finding.EARLIER_ENDED;
import static dev.berth.core.machine.RecoveryTest.Finding.EARLIER_FILES;
import static dev.berth.core.machine.RecoveryTest.Finding.EXITED;
import static dev.berth.core.machine.RecoveryTest.Finding.FILES;
import static dev.berth.core.machine.RecoveryTest.Finding.LATER_ENDED;
import static dev.berth.core.machine.RecoveryTest.Finding.NONE;
import static dev.berth.core.machine.RecoveryTest.Finding.UNKNOWN_JOB;
import static dev.berth.core.machine.Situation.CANCELLING;
import static dev.berth.core.machine.Situation.CANCELLING_STARTED;
import static dev.berth.core.machine.Situation.CREATING;
import static dev.berth.core.machine.Situation.CREATING_LAST_TRY;
import static dev.berth.core.machine.Situation.IDLING;
import static dev.berth.core.machine.Situation.LOSING_DEVICE;
import static dev.berth.core.machine.Situation.RUNNING;
import static dev.berth.core.machine.Situation.SIGNALLED;
import static dev.berth.core.machine.Situation.SIGNALLING;
import static dev.berth.core.machine.Situation.STARTING;
import static dev.berth.core.machine.Situation.TIMING_OUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.entry;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.Live;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.GpusTaken;
import dev.berth.core.machine.JobEvent.GpusWithdrawn;
import dev.berth.core.machine.JobEvent.MachineRebooted;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.Recovery.Happening;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryTest {
    private static final JobId JOB = new JobId(7);
    private static final int ATTEMPT = 2;
    private static final JobId UNKNOWN = new JobId(99);
    private static final Capacity CAPACITY = Capacities.of(8, 8, 0);
    private static final List<GpuId> ELSEWHERE = List.of(TestJobs.gpu(7));

    /** What the engine has of the job, beside nothing else. */
    enum Finding {
        NONE,
        CREATED,
        ALIVE,
        EXITED,
        EARLIER_ALIVE,
        EARLIER_ENDED,
        LATER_ENDED,
        UNKNOWN_JOB,
        FILES,
        EARLIER_FILES;

        List<Sighting> sightings(Job job) {
            int attempt = job.state().attempt();
            Condition alive = new Condition.Alive(Situation.STARTED);
            Condition ended = new Condition.Exited(137, true, Situation.STARTED, Situation.ENDED);
            return switch (this) {
                case NONE -> List.of();
                case CREATED -> List.of(found(job, attempt, new Condition.Created()));
                case ALIVE -> List.of(found(job, attempt, alive));
                case EXITED -> List.of(found(job, attempt, ended));
                case EARLIER_ALIVE -> List.of(found(job, attempt - 1, alive));
                case EARLIER_ENDED -> List.of(found(job, attempt - 1, ended));
                case LATER_ENDED -> List.of(found(job, attempt + 1, ended));
                case UNKNOWN_JOB ->
                    List.of(new Sighting(
                            new Found(RunnerKind.CONTAINER, new Attempt(UNKNOWN, attempt), alive, ELSEWHERE), null));
                case FILES -> List.of(found(job, attempt, new Condition.FilesLeft()));
                case EARLIER_FILES -> List.of(found(job, attempt - 1, new Condition.FilesLeft()));
            };
        }

        private static Sighting found(Job job, int attempt, Condition condition) {
            List<GpuId> gpus = job.state() instanceof Creating creating && creating.attempt() == attempt
                    ? Situation.ALLOCATION.gpus()
                    : ELSEWHERE;
            return new Sighting(new Found(RunnerKind.CONTAINER, new Attempt(job.id(), attempt), condition, gpus), job);
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

    private static final JobEvent STARTED = new RunStarted(ATTEMPT, Situation.STARTED);
    private static final JobEvent GONE = new RunGone(ATTEMPT);
    private static final JobEvent ENDED = new RunExited(ATTEMPT, 137, true, Situation.STARTED, Situation.ENDED);
    private static final Effect CREATE = new CreateRun(JobTable.job(CREATING), TestJobs.IMAGE_ID, Situation.ALLOCATION);
    private static final Effect START = new StartRun(JobTable.job(STARTING), TestJobs.ENGINE);
    private static final Effect STOP = new StopRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT), null);
    private static final Effect STOP_AT_LIMIT =
            new StopRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT), JobTable.GRACE);
    private static final Effect SIGNAL =
            new SignalRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT), Situation.SIGNAL);
    private static final Effect ADOPT = new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT));
    private static final Effect RELEASE = new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT));
    private static final Effect RELEASE_EARLIER = new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT - 1));
    private static final Effect SWEEP_EARLIER = new SweepRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT - 1));
    private static final Effect SWEEP_LATER = new SweepRun(RunnerKind.CONTAINER, new Attempt(JOB, ATTEMPT + 1));
    private static final Effect SWEEP_UNKNOWN = new SweepRun(RunnerKind.CONTAINER, new Attempt(UNKNOWN, ATTEMPT));

    private static final List<Line> LINES = List.of(
            on(CREATING, NONE).owes(CREATE),
            on(CREATING, CREATED).owes(RELEASE, CREATE),
            on(CREATING, ALIVE).hears(STARTED).owes(ADOPT),
            on(CREATING, EXITED).hears(ENDED),
            on(CREATING, EARLIER_ALIVE).owes(SWEEP_EARLIER, CREATE),
            on(CREATING, EARLIER_ENDED).owes(RELEASE_EARLIER, CREATE),
            on(CREATING, LATER_ENDED).owes(SWEEP_LATER, CREATE),
            on(CREATING, UNKNOWN_JOB).owes(SWEEP_UNKNOWN, CREATE),
            on(CREATING, FILES).owes(RELEASE, CREATE),
            on(CREATING, EARLIER_FILES).owes(RELEASE_EARLIER, CREATE),
            //
            on(STARTING, NONE).hears(GONE),
            on(STARTING, CREATED).owes(START),
            on(STARTING, ALIVE).hears(STARTED).owes(ADOPT),
            on(STARTING, EXITED).hears(ENDED),
            on(STARTING, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(STARTING, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(STARTING, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(STARTING, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(STARTING, FILES).hears(GONE),
            on(STARTING, EARLIER_FILES).hears(GONE),
            //
            on(RUNNING, NONE).hears(GONE),
            on(RUNNING, CREATED).owes(STOP),
            on(RUNNING, ALIVE).hears(STARTED).owes(ADOPT),
            on(RUNNING, EXITED).hears(ENDED),
            on(RUNNING, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(RUNNING, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(RUNNING, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(RUNNING, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(RUNNING, FILES).hears(GONE),
            on(RUNNING, EARLIER_FILES).hears(GONE),
            //
            on(SIGNALLING, NONE).hears(GONE),
            on(SIGNALLING, CREATED).owes(STOP),
            on(SIGNALLING, ALIVE).hears(STARTED).owes(ADOPT, SIGNAL),
            on(SIGNALLING, EXITED).hears(ENDED),
            on(SIGNALLING, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(SIGNALLING, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(SIGNALLING, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(SIGNALLING, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(SIGNALLING, FILES).hears(GONE),
            on(SIGNALLING, EARLIER_FILES).hears(GONE),
            //
            on(SIGNALLED, NONE).hears(GONE),
            on(SIGNALLED, CREATED).owes(STOP),
            on(SIGNALLED, ALIVE).hears(STARTED).owes(ADOPT),
            on(SIGNALLED, EXITED).hears(ENDED),
            on(SIGNALLED, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(SIGNALLED, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(SIGNALLED, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(SIGNALLED, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(SIGNALLED, FILES).hears(GONE),
            on(SIGNALLED, EARLIER_FILES).hears(GONE),
            //
            on(CANCELLING, NONE).hears(GONE),
            on(CANCELLING, CREATED).owes(STOP),
            on(CANCELLING, ALIVE).hears(STARTED).owes(ADOPT, STOP),
            on(CANCELLING, EXITED).hears(ENDED),
            on(CANCELLING, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(CANCELLING, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(CANCELLING, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(CANCELLING, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(CANCELLING, FILES).hears(GONE),
            on(CANCELLING, EARLIER_FILES).hears(GONE),
            //
            on(CANCELLING_STARTED, NONE).hears(GONE),
            on(CANCELLING_STARTED, CREATED).owes(STOP),
            on(CANCELLING_STARTED, ALIVE).hears(STARTED).owes(ADOPT, STOP),
            on(CANCELLING_STARTED, EXITED).hears(ENDED),
            on(CANCELLING_STARTED, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(CANCELLING_STARTED, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(CANCELLING_STARTED, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(CANCELLING_STARTED, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(CANCELLING_STARTED, FILES).hears(GONE),
            on(CANCELLING_STARTED, EARLIER_FILES).hears(GONE),
            //
            on(TIMING_OUT, NONE).hears(GONE),
            on(TIMING_OUT, CREATED).owes(STOP_AT_LIMIT),
            on(TIMING_OUT, ALIVE).hears(STARTED).owes(ADOPT, STOP_AT_LIMIT),
            on(TIMING_OUT, EXITED).hears(ENDED),
            on(TIMING_OUT, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(TIMING_OUT, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(TIMING_OUT, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(TIMING_OUT, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(TIMING_OUT, FILES).hears(GONE),
            on(TIMING_OUT, EARLIER_FILES).hears(GONE),
            on(IDLING, NONE).hears(GONE),
            on(IDLING, CREATED).owes(STOP_AT_LIMIT),
            on(IDLING, ALIVE).hears(STARTED).owes(ADOPT, STOP_AT_LIMIT),
            on(IDLING, EXITED).hears(ENDED),
            on(IDLING, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(IDLING, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(IDLING, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(IDLING, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(IDLING, FILES).hears(GONE),
            on(IDLING, EARLIER_FILES).hears(GONE),
            on(LOSING_DEVICE, NONE).hears(GONE),
            on(LOSING_DEVICE, CREATED).owes(STOP),
            on(LOSING_DEVICE, ALIVE).hears(STARTED).owes(ADOPT, STOP),
            on(LOSING_DEVICE, EXITED).hears(ENDED),
            on(LOSING_DEVICE, EARLIER_ALIVE).hears(GONE).owes(SWEEP_EARLIER),
            on(LOSING_DEVICE, EARLIER_ENDED).hears(GONE).owes(SWEEP_EARLIER),
            on(LOSING_DEVICE, LATER_ENDED).hears(GONE).owes(SWEEP_LATER),
            on(LOSING_DEVICE, UNKNOWN_JOB).hears(GONE).owes(SWEEP_UNKNOWN),
            on(LOSING_DEVICE, FILES).hears(GONE),
            on(LOSING_DEVICE, EARLIER_FILES).hears(GONE));

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
        Recovery plan = plan(JobTable.job(situation), finding);
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
        Recovery plan = plan(job, finding);
        assertThatCode(() -> plan.events().forEach(happening -> JobMachine.on(job, happening.event(), JobTable.NOW)))
                .doesNotThrowAnyException();
    }

    @Test
    void everyLiveStateAndEveryConditionStandsInTheTable() {
        assertThat(Stream.concat(liveSituations(), Stream.of(Situation.HANDED_OVER))
                        .map(situation -> situation.state().getClass())
                        .collect(Collectors.toSet()))
                .hasSameSizeAs(Alternatives.of(Live.class));
        assertThat(Arrays.stream(Finding.values())
                        .flatMap(finding -> finding.sightings(JobTable.job(RUNNING)).stream())
                        .map(sighting -> sighting.found().condition().getClass())
                        .collect(Collectors.toSet()))
                .hasSameSizeAs(Alternatives.of(Condition.class));
    }

    @Test
    void everyJobGetsItsOwnAnswerAndWhatIsOverIsReleasedFirst() {
        Job creating = TestJobs.creating(1, 0);
        Job running = TestJobs.running(2, 1);
        Job ended = TestJobs.finished(4);
        Recovery plan = Recovery.plan(
                CAPACITY,
                List.of(creating, running, TestJobs.running(3, 2)),
                List.of(
                        sighting(running, 1, new Condition.Alive(TestJobs.STARTED)),
                        sighting(ended, 1, new Condition.Exited(0, false, null, TestJobs.STARTED))),
                null);
        assertThat(plan.events())
                .containsExactly(
                        new Happening(new JobId(2), new RunStarted(1, TestJobs.STARTED)),
                        new Happening(new JobId(3), new RunGone(1)));
        assertThat(plan.effects())
                .containsExactly(
                        new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(4), 1)),
                        new CreateRun(creating, TestJobs.IMAGE_ID, TestJobs.allocation(0)),
                        new AdoptRun(RunnerKind.CONTAINER, new Attempt(new JobId(2), 1)));
        assertThat(plan.orphans()).isEmpty();
    }

    @Test
    void aContainerThatNoJobOwnsKeepsItsGpusAsLongAsItsProgramRuns() {
        Recovery plan = Recovery.plan(
                CAPACITY,
                List.of(),
                List.of(
                        new Sighting(
                                new Found(
                                        RunnerKind.CONTAINER,
                                        new Attempt(UNKNOWN, 1),
                                        new Condition.Alive(TestJobs.STARTED),
                                        ELSEWHERE),
                                null),
                        new Sighting(
                                new Found(
                                        RunnerKind.CONTAINER,
                                        new Attempt(UNKNOWN, 2),
                                        new Condition.Created(),
                                        ELSEWHERE),
                                null),
                        new Sighting(
                                new Found(
                                        RunnerKind.CONTAINER,
                                        new Attempt(UNKNOWN, 3),
                                        new Condition.Exited(0, false, null, TestJobs.STARTED),
                                        ELSEWHERE),
                                null)),
                null);
        assertThat(plan.orphans())
                .as("of one that the engine calls created it may not know that it runs")
                .containsExactly(
                        entry(new Attempt(UNKNOWN, 1), ELSEWHERE),
                        entry(new Attempt(UNKNOWN, 2), ELSEWHERE),
                        entry(new Attempt(UNKNOWN, 3), List.of()));
    }

    @Test
    void aContainerOfAJobThatWaitsForItsTurnIsNobodys() {
        Recovery plan = Recovery.plan(
                CAPACITY,
                List.of(),
                List.of(sighting(TestJobs.queued(5), 1, new Condition.Alive(TestJobs.STARTED))),
                null);
        assertThat(plan.effects()).containsExactly(new SweepRun(RunnerKind.CONTAINER, new Attempt(new JobId(5), 1)));
    }

    @Test
    void nothingIsMadeOnGpusOnWhichAContainerOfNobodyRuns() {
        Job creating = TestJobs.creating(1, 0, 7);
        Sighting orphan = new Sighting(
                new Found(
                        RunnerKind.CONTAINER,
                        new Attempt(UNKNOWN, 1),
                        new Condition.Alive(TestJobs.STARTED),
                        ELSEWHERE),
                null);
        Recovery plan = Recovery.plan(
                CAPACITY, List.of(creating), List.of(orphan, sighting(creating, 1, new Condition.Created())), null);
        assertThat(plan.events().getFirst().event()).isInstanceOf(GpusTaken.class);
        assertThat(plan.effects())
                .containsExactly(
                        new SweepRun(RunnerKind.CONTAINER, new Attempt(UNKNOWN, 1)),
                        new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1)));
    }

    /** Started without a GPU that the last one allocated; what runs there runs on. */
    @Test
    void nothingIsMadeOnGpusThatThisServerDoesNotGiveOut() {
        Job creating = TestJobs.creating(1, 0, 1);
        Job running = TestJobs.running(2, 2);
        Recovery plan = Recovery.plan(
                Capacities.of(1, 1, 0),
                List.of(creating, running, TestJobs.creating(3, 0)),
                List.of(sighting(running, 1, new Condition.Alive(TestJobs.STARTED))),
                null);
        assertThat(plan.events())
                .containsExactly(
                        new Happening(creating.id(), new GpusWithdrawn(1)),
                        new Happening(running.id(), new RunStarted(1, TestJobs.STARTED)));
        assertThat(plan.effects())
                .containsExactly(
                        new AdoptRun(RunnerKind.CONTAINER, new Attempt(running.id(), 1)),
                        new CreateRun(TestJobs.creating(3, 0), TestJobs.IMAGE_ID, TestJobs.allocation(0)));
    }

    /** An older copy of the store was brought back: the attempt had another turn since, with another GPU. */
    @Test
    void aProgramOnOtherGpusThanItsJobWasGivenIsNotTakenForIt() {
        Job creating = TestJobs.creating(1, 0);
        Attempt attempt = new Attempt(creating.id(), 1);
        Sighting other = new Sighting(
                new Found(
                        RunnerKind.CONTAINER,
                        new Attempt(creating.id(), 1),
                        new Condition.Alive(TestJobs.STARTED),
                        ELSEWHERE),
                creating);
        Recovery plan = Recovery.plan(CAPACITY, List.of(creating), List.of(other), null);
        assertThat(plan.events())
                .singleElement()
                .satisfies(happening -> assertThat(happening.event()).isInstanceOf(GpusTaken.class));
        assertThat(plan.effects()).containsExactly(new SweepRun(RunnerKind.CONTAINER, new Attempt(creating.id(), 1)));
        assertThat(plan.orphans()).isEqualTo(new TreeMap<>(Map.of(attempt, ELSEWHERE)));
    }

    /**
     * How long after its start it ended, with what, whether the kernel ended it for its memory, whether the engine saw it,
     * and whether it was lost with the machine, which came up after 200 seconds by its date.
     */
    @ParameterizedTest
    @CsvSource({
        "100, 0, false, true, false",
        "100, 3, false, true, false",
        "100, 143, false, true, true",
        "100, 137, false, true, true",
        "100, 137, true, true, false",
        "100, 143, true, true, true",
        "100, 255, false, true, false",
        "300, 255, false, true, true",
        // The date was set between the engine's look and the server's.
        "100, 255, false, false, true",
        "7400, 0, false, true, false",
        "-7000, 0, false, true, false"
    })
    void whatTheMachinesOwnEndTookAlongIsLost(
            int endedAfter, int code, boolean outOfMemory, boolean seen, boolean lost) {
        Instant bootedAt = Situation.STARTED.plusSeconds(200);
        Instant endedAt = Situation.STARTED.plusSeconds(endedAfter);
        Job job = JobTable.job(RUNNING);
        Condition.Exited exited = new Condition.Exited(code, outOfMemory, Situation.STARTED, endedAt, !seen);
        Recovery plan = Recovery.plan(CAPACITY, List.of(job), List.of(sighting(job, ATTEMPT, exited)), bootedAt);
        assertThat(plan.events().getFirst().event())
                .isEqualTo(
                        lost
                                ? new MachineRebooted(ATTEMPT, bootedAt)
                                : new RunExited(ATTEMPT, code, outOfMemory, Situation.STARTED, endedAt));
    }

    @Test
    void anEndWithoutADateIsLostWithTheMachine() {
        Job job = JobTable.job(RUNNING);
        Instant never = Instant.parse("0001-01-01T00:00:00Z");
        Condition.Exited exited = new Condition.Exited(0, false, Situation.STARTED, never);
        Recovery plan = Recovery.plan(CAPACITY, List.of(job), List.of(sighting(job, ATTEMPT, exited)), Situation.ENDED);
        assertThat(plan.events().getFirst().event()).isEqualTo(new MachineRebooted(ATTEMPT, Situation.ENDED));
    }

    @Test
    void afterARebootAMissingContainerWentWithTheMachineAndAnUnmadeOneIsMade() {
        Recovery plan = Recovery.plan(
                CAPACITY, List.of(TestJobs.running(1, 0), TestJobs.creating(2, 1)), List.of(), Situation.ENDED);
        assertThat(plan.events()).containsExactly(new Happening(new JobId(1), new MachineRebooted(1, Situation.ENDED)));
        assertThat(plan.effects()).hasSize(1).first().isInstanceOf(CreateRun.class);
    }

    @Test
    void afterARebootAContainerThatWasNotStartedIsMadeAnewAndOneThatMayHaveBeenIsLost() {
        Job creating = TestJobs.creating(1, 0);
        Job starting = TestJobs.starting(2, 1);
        Recovery plan = Recovery.plan(
                CAPACITY,
                List.of(creating, starting),
                List.of(sighting(creating, 1, new Condition.Created()), sighting(starting, 1, new Condition.Created())),
                Situation.ENDED);
        assertThat(plan.effects())
                .containsExactly(
                        new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(1), 1)),
                        new CreateRun(creating, TestJobs.IMAGE_ID, TestJobs.allocation(0)));
        assertThat(plan.events()).containsExactly(new Happening(new JobId(2), new MachineRebooted(1, Situation.ENDED)));
    }

    @Test
    void afterARebootAProgramThatTheEngineHasForgottenWentWithTheMachine() {
        Job running = TestJobs.running(2, 1);
        Recovery plan = Recovery.plan(
                CAPACITY, List.of(running), List.of(sighting(running, 1, new Condition.Created())), Situation.ENDED);
        assertThat(plan.events()).containsExactly(new Happening(new JobId(2), new MachineRebooted(1, Situation.ENDED)));
        assertThat(plan.effects()).isEmpty();
    }

    /** The engine was killed before it had written down that it started it. */
    @Test
    void aProgramThatTheEngineHasForgottenIsStoppedWhenTheEngineIsSeenAgain() {
        Job job = JobTable.job(RUNNING);
        Machine machine = Machine.idle(Capacities.gpus(8), 7).restored(job);
        List<Sighting> created = List.of(sighting(job, ATTEMPT, new Condition.Created()));
        assertThat(Recovery.look(machine, List.of(new Attempt(JOB, ATTEMPT)), created, Situation.ENDED)
                        .effects())
                .containsExactly(STOP);
        assertThat(Recovery.look(machine, List.of(new Attempt(JOB, ATTEMPT - 1)), created, Situation.ENDED)
                        .effects())
                .as("another attempt, which may have been started after the look")
                .isEmpty();
    }

    @Test
    void aContainerOfAnAttemptThatNobodyHasComeToIsNobodys() {
        Job job = TestJobs.finished(4);
        Machine machine = Machine.idle(Capacities.gpus(8), 7);
        Recovery look = Recovery.look(
                machine, List.of(), List.of(sighting(job, 2, new Condition.Created())), Situation.STARTED);
        assertThat(look.effects()).containsExactly(new SweepRun(RunnerKind.CONTAINER, new Attempt(new JobId(4), 2)));
    }

    @Test
    void filesThatAnEndedJobsContainerLeftAreReleased() {
        Job ended = TestJobs.finished(4);
        Effect release = new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(4), 1));
        List<Sighting> files = List.of(sighting(ended, 1, new Condition.FilesLeft()));
        Recovery plan = Recovery.plan(CAPACITY, List.of(), files, null);
        assertThat(plan.effects()).containsExactly(release);
        assertThat(plan.orphans()).as("files hold no GPU").isEmpty();
        Effect later = new ReleaseRun(RunnerKind.CONTAINER, new Attempt(new JobId(4), 2));
        List<Sighting> unknown = List.of(sighting(ended, 2, new Condition.FilesLeft()));
        assertThat(Recovery.plan(CAPACITY, List.of(), unknown, null).effects())
                .as("of an attempt that a restored store does not know")
                .containsExactly(later);

        Machine machine = Machine.idle(Capacities.gpus(8), 7);
        assertThat(Recovery.look(machine, List.of(), files, TestJobs.STARTED).effects())
                .as("its release may be under way")
                .isEmpty();
        assertThat(Recovery.look(machine, List.of(), files, TestJobs.STARTED.plus(Duration.ofDays(1)))
                        .effects())
                .containsExactly(release);
    }

    /** They were laid out in a time that the restored store does not know; cancelled in the queue, nothing releases it. */
    @Test
    void filesOfAJobThatWaitsAreReleased() {
        Job waiting = TestJobs.queued(4);
        for (int attempt = 1; attempt <= 2; attempt++) {
            List<Sighting> files = List.of(sighting(waiting, attempt, new Condition.FilesLeft()));
            assertThat(Recovery.plan(CAPACITY, List.of(), files, null).effects())
                    .containsExactly(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(waiting.id(), attempt)));
        }
    }

    @Test
    void filesOfWhatTheStoreDoesNotKnowAreLeftAlone() {
        Found files = new Found(RunnerKind.CONTAINER, new Attempt(UNKNOWN, 1), new Condition.FilesLeft(), List.of());
        List<Sighting> unknown = List.of(new Sighting(files, null));
        Recovery nothing = new Recovery(List.of(), List.of(), new TreeMap<>());
        assertThat(Recovery.plan(CAPACITY, List.of(), unknown, null)).isEqualTo(nothing);
        assertThat(Recovery.look(Machine.idle(Capacities.gpus(8), 7), List.of(), unknown, Situation.ENDED))
                .isEqualTo(nothing);
    }

    @Test
    void theFilesOfARunningJobAreNoContainer() {
        Job job = JobTable.job(RUNNING);
        Machine machine = Machine.idle(Capacities.gpus(8), 7).restored(job);
        List<Sighting> files = List.of(sighting(job, ATTEMPT, new Condition.FilesLeft()));
        assertThat(Recovery.look(machine, List.of(new Attempt(JOB, ATTEMPT)), files, Situation.ENDED)
                        .events())
                .containsExactly(new Happening(JOB, GONE));
    }

    @Test
    void anIdleServerWithoutContainersOwesNothing() {
        assertThat(Recovery.plan(CAPACITY, List.of(), List.of(), null))
                .isEqualTo(new Recovery(List.of(), List.of(), new TreeMap<>()));
    }

    private static Recovery plan(Job job, Finding finding) {
        return Recovery.plan(CAPACITY, List.of(job), finding.sightings(job), null);
    }

    private static Sighting sighting(Job job, int attempt, Condition condition) {
        return new Sighting(new Found(RunnerKind.CONTAINER, new Attempt(job.id(), attempt), condition, List.of()), job);
    }

    private static Stream<Situation> liveSituations() {
        return Arrays.stream(Situation.values())
                .filter(situation -> situation.state() instanceof Live
                        && situation != CREATING_LAST_TRY
                        // Of which no engine of this machine knows.
                        && !situation.isAtTarget()
                        // As one whose GPUs have been looked at: that is not known after a restart.
                        && situation != Situation.UNDECIDED);
    }

    private static Line on(Situation situation, Finding finding) {
        return new Line(situation, finding, List.of(), List.of());
    }
}
