package dev.berth.server.runner.target;

import static dev.berth.server.runner.target.TargetEngine.Reading.Stream.ERROR;
import static dev.berth.server.runner.target.TargetEngine.Reading.Stream.OUTPUT;
import static dev.berth.server.runner.target.TargetEngine.Reading.Stream.TRACK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.Creating;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Signal;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.HoldSeen;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunHandedOver;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineException.Scope;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.End.NoImage;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetRunnerTest {
    private static final Instant STARTED = Jobs.STARTED;
    private static final Instant ENDED = Jobs.ENDED;

    @TempDir
    private Path directory;

    private PlayedTarget played;
    private PlayedEngine engine;
    private List<JobEvent> told;
    private TargetRunner runner;

    @BeforeEach
    void begin() throws IOException {
        begin(PlayedTarget.in(directory));
    }

    private void begin(PlayedTarget target) {
        played = target;
        engine = target.engine();
        told = target.told();
        runner = target.runner();
    }

    private Job job(long id, JobState state) {
        return played.keep(Jobs.job(id, PlayedTarget.SPEC, Jobs.ADA, state));
    }

    private Job creating(long id) {
        return job(id, new Creating(1, "", Allocation.NONE));
    }

    private CreateRun handOver(long id) {
        CreateRun create = new CreateRun(creating(id), "", Allocation.NONE);
        runner.expect(create);
        return create;
    }

    private Job handedOver(long id) {
        assertThat(runner.create(handOver(id))).isTrue();
        assertThat(told).containsExactly(new RunHandedOver(1));
        told.clear();
        return job(id, new HandedOver(1, false));
    }

    private void look() {
        played.look();
    }

    private static String name(long id) {
        return "berth-s-" + id + "-1";
    }

    private String log(Job job) throws IOException {
        ByteBuffer room = ByteBuffer.allocate(1_000);
        StringBuilder text = new StringBuilder();
        try (var reader = played.logs().reader(job.id())) {
            for (var frame = reader.piece(room.clear()); frame.isPresent(); frame = reader.piece(room.clear())) {
                text.append(StandardCharsets.UTF_8.decode(room.flip()));
            }
        }
        return text.toString();
    }

    @Test
    void aJobIsHandedOverWithWhatBerthTellsItsProgram() {
        Job unused = handedOver(7);

        Handover handover = engine.handover(name(7)).orElseThrow();
        assertThat(unused.id()).isEqualTo(handover.handed().attempt().job());
        assertThat(handover.program().command()).isEqualTo(Jobs.PROGRAM.command());
        assertThat(handover.environment()).containsEntry("BERTH_JOB_ID", "7").containsEntry("BERTH_ATTEMPT", "1");
        assertThat(handover.handed().owner()).isEqualTo(Jobs.ADA);
    }

    @Test
    void whatTheEngineSaysIsToldOnce() {
        Job job = handedOver(7);
        look();
        assertThat(told).isEmpty();
        assertThat(runner.standings().words(job)).contains("Played waits for Resources (job 4711)");

        engine.bring(name(7), new Phase.Alive("4711", STARTED, "node1"));
        runner.adopt(new AdoptRun(job));
        look();
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told).containsExactly(new RunStarted(1, STARTED));
        assertThat(runner.standings().words(job)).contains("job 4711 on node1");

        told.clear();
        engine.bring(
                name(7),
                new Phase.Over(
                        "4711",
                        new Exited(3, false),
                        STARTED,
                        ENDED,
                        new Phase.Used(Duration.ofSeconds(90), 5L << 20)));
        runner.adopt(new AdoptRun(job));
        look();
        look();
        assertThat(told).containsExactly(new RunExited(1, 3, false, STARTED, ENDED));
        assertThat(played.accounts()).singleElement().satisfies(used -> {
            assertThat(used.cpuMillis()).isEqualTo(90_000);
            assertThat(used.peakMemoryMiB()).isEqualTo(5);
        });
    }

    /** As with a token that has expired: it answers, and nobody knows how far jobs are. */
    @Test
    void anEngineThatFailsAtLooksIsAnOutageOfThatSentence() {
        Job job = handedOver(7);
        engine.failing(new EngineException(Kind.FAILING, "it does not know who this server is (401)"));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(runner.standings().outage(job).orElseThrow().sentence()).contains("(401)");
        engine.failing(null);
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(runner.standings().outage(job)).isEmpty();
    }

    /** Its end does not wait for that. */
    @Test
    void whatAnEnginesAccountsKnowLateIsKeptAsWell() {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        look();
        assertThat(told).contains(new RunExited(1, 0, false, STARTED, ENDED));
        assertThat(runner.release(new ReleaseRun(RunnerKind.TARGET, Attempt.of(job))))
                .isTrue();
        runner.watch(new BackgroundWork(played.tasks(), played.now()::get), Duration.ofSeconds(5));
        assertThat(played.tasks().next()).isTrue();
        assertThat(played.accounts()).isEmpty();

        engine.away();
        assertThat(played.tasks().next()).isTrue();
        engine.failing(null).account(name(7), new Phase.Used(Duration.ofSeconds(90), 5L << 20));
        assertThat(played.tasks().next()).isTrue();
        assertThat(played.accounts())
                .singleElement()
                .satisfies(used -> assertThat(used.cpuMillis()).isEqualTo(90_000));
        long asked = engine.asked().stream().filter("used 1"::equals).count();
        assertThat(played.tasks().next()).isTrue();
        assertThat(engine.asked())
                .filteredOn("used 1"::equals)
                .as("asked no more")
                .hasSize((int) asked);
    }

    @Test
    void whatAnEnginesAccountsNeverKnowIsGivenUp() {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        look();
        assertThat(runner.release(new ReleaseRun(RunnerKind.TARGET, Attempt.of(job))))
                .isTrue();
        runner.watch(new BackgroundWork(played.tasks(), played.now()::get), Duration.ofSeconds(5));
        assertThat(played.tasks().next()).isTrue();
        assertThat(engine.asked()).contains("used 1");
        played.pass(Duration.ofMinutes(10));
        int before = engine.asked().size();
        assertThat(played.tasks().next()).isTrue();
        assertThat(engine.asked()).hasSize(before);
    }

    /** As where a node hangs that another runs on. */
    @Test
    void anEndWaitsForWhatItsOwnProgramWroteAndForNothingOfOthers() {
        List<Job> _ = List.of(handedOver(7), handedOver(8));
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        engine.bring(name(8), new Phase.Alive("4712", STARTED, "node1"));
        List<Boolean> isTold = new CopyOnWriteArrayList<>();
        engine.before(() -> {}, () -> isTold.add(told.contains(new RunExited(1, 0, false, STARTED, ENDED))));
        look();
        assertThat(isTold).containsExactly(false, true);
    }

    @Test
    void oneThatEndsBetweenTwoLooksIsToldToHaveStarted() {
        Job unused = handedOver(7);
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        look();
        assertThat(told).containsExactly(new RunStarted(1, STARTED), new RunExited(1, 0, false, STARTED, ENDED));
        assertThat(unused.state()).isInstanceOf(HandedOver.class);
    }

    @Test
    void whatTheEngineEndsKeepsItsReason() {
        Job unused = handedOver(7);
        Outcome outcome = new Outcome(StateName.LOST, OutcomeReason.NODE_LOST, "node1 was lost", null);
        engine.bring(name(7), new Phase.Over("4711", new ByEngine(outcome), null, ENDED, null));
        look();
        assertThat(told).containsExactly(new RunEnded(1, outcome, null, ENDED));
        assertThat(unused.number()).isEqualTo("7");
    }

    @Test
    void anImageThatIsNotThereIsNamed() {
        Job job = handedOver(7);
        engine.bring(
                name(7),
                new Phase.Over("4711", new NoImage("is not on its node; check the name"), STARTED, ENDED, null));
        look();
        Outcome outcome = new Outcome(
                StateName.FAILED,
                OutcomeReason.IMAGE_UNAVAILABLE,
                "image " + job.spec().image() + " is not on its node; check the name",
                null);
        assertThat(told).containsExactly(new RunStarted(1, STARTED), new RunEnded(1, outcome, STARTED, ENDED));
    }

    @Test
    void anEngineThatDoesNotAnswerLosesNothing() {
        Job job = handedOver(7);
        engine.away();
        look();
        played.pass(Duration.ofHours(3));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told).isEmpty();
        assertThat(runner.standings().outage(job)).hasValueSatisfying(outage -> {
            assertThat(outage.since()).isEqualTo(Jobs.SUBMITTED);
            assertThat(outage.sentence()).isEqualTo("no answer from the controller");
        });

        engine.failing(null);
        engine.bring(name(7), new Phase.Alive("4711", STARTED, "node1"));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told).containsExactly(new RunStarted(1, STARTED));
        assertThat(runner.standings().outage(job)).isEmpty();
    }

    @Test
    void whatTheEngineDoesNotKnowForLongIsLost() {
        Job job = handedOver(7);
        engine.forget(name(7));
        look();
        assertThat(told).isEmpty();
        played.pass(Duration.ofSeconds(31));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told).singleElement().satisfies(event -> {
            Outcome outcome = ((RunEnded) event).outcome();
            assertThat(outcome.state()).isEqualTo(StateName.LOST);
            assertThat(outcome.reason()).isEqualTo(OutcomeReason.TARGET_LOST);
            assertThat(outcome.sentence()).contains("target cluster (Played) does not know it any more");
        });
    }

    @Test
    void whatIsNotThereAnyMoreHasTheEndThatTheEnginesOtherRecordsTellUnlessItRan() {
        Outcome cancelled =
                new Outcome(StateName.CANCELLED, OutcomeReason.CANCELLED_AT_TARGET, "it was cancelled there", null);
        Job waited = handedOver(7);
        engine.bring(name(7), new Phase.Unknown(cancelled));
        assertEndsAs(waited, cancelled.reason());

        told.clear();
        Job ran = handedOver(8);
        engine.bring(name(8), new Phase.Alive("4712", STARTED, "node1"));
        look();
        engine.bring(name(8), new Phase.Unknown(cancelled));
        told.clear();
        runner.adopt(new AdoptRun(ran));
        assertEndsAs(ran, OutcomeReason.TARGET_LOST);
    }

    private void assertEndsAs(Job job, OutcomeReason reason) {
        look();
        assertThat(told).isEmpty();
        played.pass(Duration.ofSeconds(31));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told)
                .singleElement()
                .satisfies(event ->
                        assertThat(((RunEnded) event).outcome().reason()).isEqualTo(reason));
    }

    @Test
    void anEngineThatForgetsForAMomentLosesNothing() {
        Job job = handedOver(7);
        engine.forget(name(7));
        look();
        played.pass(Duration.ofSeconds(20));
        engine.bring(name(7), new Phase.Waiting("4711", false, "waits"));
        runner.adopt(new AdoptRun(job));
        look();
        played.pass(Duration.ofSeconds(20));
        engine.forget(name(7));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told).isEmpty();
    }

    @Test
    void whatTheEngineTakesBackWhileItRanIsLostAndNotStartedAgain() {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Alive("4711", STARTED, "node1"));
        look();
        engine.bring(name(7), new Phase.Waiting("4711", false, "waits for quota"));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told).containsExactly(new RunStarted(1, STARTED));
        played.pass(Duration.ofSeconds(31));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(((RunEnded) told.getLast()).outcome().reason()).isEqualTo(OutcomeReason.PREEMPTED);
        assertThat(engine.asked()).contains("cancel " + name(7) + " after 0 s");
    }

    @Test
    void aRefusalEndsTheJobWithTheEnginesSentence() {
        engine.failing(new EngineException(Kind.REFUSED, "Slurm says: invalid partition"));
        assertThat(runner.create(handOver(7))).isTrue();
        assertThat(told).containsExactly(new LaunchRefused(1, "Slurm says: invalid partition"));
    }

    @Test
    void jobsAreHandedOverInOrder() throws Exception {
        CreateRun first = handOver(7);
        CreateRun second = handOver(8);
        Thread other = Thread.startVirtualThread(() -> runner.create(second));
        assertThat(engine.names()).isEmpty();
        assertThat(runner.create(first)).isTrue();
        other.join();
        assertThat(engine.names()).containsExactly(name(7), name(8));
    }

    @Test
    void oneThatFailsByItselfLetsOthersPass() {
        CreateRun first = handOver(7);
        CreateRun second = handOver(8);
        engine.failing(new EngineException(Kind.FAILING, "the home directory is full"));
        assertThatThrownBy(() -> runner.create(first)).hasMessage("the home directory is full");
        engine.failing(null);
        assertThat(runner.create(second)).isTrue();
        assertThat(runner.create(first)).isTrue();
        assertThat(engine.names()).containsExactly(name(8), name(7));
    }

    @Test
    void anEngineThatIsAwayIsAskedByOneAndLetsNobodyPass() {
        CreateRun first = handOver(7);
        CreateRun second = handOver(8);
        engine.away();
        assertThatThrownBy(() -> runner.create(first)).hasMessage("no answer from the controller");
        engine.failing(null);
        assertThatThrownBy(() -> runner.create(second)).hasMessage("no answer from the controller");
        runner.adopt(new AdoptRun(job(9, new HandedOver(1, false))));
        engine.bring(name(9), new Phase.Waiting("1", false, "waits"));
        look();
        assertThat(runner.create(first)).isTrue();
        assertThat(runner.create(second)).isTrue();
        assertThat(engine.names()).containsExactly(name(7), name(8));
    }

    /** As of one who has no key at the login node, or whose limit of submits is reached. */
    @Test
    void oneUsersFaultLetsOthersPassAndKeepsThatUsersOrder() {
        CreateRun first = handOver(7);
        CreateRun second = handOver(8);
        Job bobs = played.keep(Jobs.job(9, PlayedTarget.SPEC, Jobs.BOB, new Creating(1, "", Allocation.NONE)));
        CreateRun others = new CreateRun(bobs, "", Allocation.NONE);
        runner.expect(others);
        engine.failing(new EngineException(Kind.FAILING, Scope.USER, "no key of theirs"));
        assertThatThrownBy(() -> runner.create(first)).hasMessage("no key of theirs");
        engine.failing(null);
        assertThat(runner.create(others)).isTrue();
        assertThat(runner.create(first)).isTrue();
        assertThat(runner.create(second)).isTrue();
        assertThat(engine.names()).containsExactly(name(9), name(7), name(8));
    }

    /** As of a quota that is used up. */
    @Test
    void aFaultThatIsEverybodysKeepsTheOrder() throws Exception {
        CreateRun first = handOver(7);
        CreateRun second = handOver(8);
        engine.failing(new EngineException(Kind.FAILING, Scope.ALL, "the quota is used up"));
        assertThatThrownBy(() -> runner.create(first)).hasMessage("the quota is used up");
        engine.failing(null);
        Thread other = Thread.startVirtualThread(() -> runner.create(second));
        assertThat(runner.create(first)).isTrue();
        other.join();
        assertThat(engine.names()).containsExactly(name(7), name(8));
    }

    @Test
    void aFaultThatNobodyForesawLetsOthersPass() {
        JobSpec spec = Jobs.with(Jobs.spec(0), new AtTarget("cluster", InContainer.of("0".repeat(64), AtTarget.NODE)));
        CreateRun first = new CreateRun(
                played.keep(Jobs.job(7, spec, Jobs.ADA, new Creating(1, "", Allocation.NONE))), "", Allocation.NONE);
        runner.expect(first);
        CreateRun second = handOver(8);
        assertThatThrownBy(() -> runner.create(first)).isInstanceOf(UncheckedIOException.class);
        assertThat(runner.create(second)).isTrue();
    }

    /** As where a file that another user has made in the directory of its last attempt cannot be removed. */
    @Test
    void anAttemptThatWaitsForTheRemovalOfTheLastOneLetsOthersPass() {
        Job first = handedOver(7);
        Job again = job(7, new Creating(2, "", Allocation.NONE));
        runner.expect(new CreateRun(again, "", Allocation.NONE));
        CreateRun other = handOver(8);
        assertThat(runner.create(other)).isTrue();
        assertThat(engine.names()).containsExactly(name(7), name(8));
        assertThat(runner.release(new ReleaseRun(RunnerKind.TARGET, Attempt.of(first))))
                .isTrue();
        assertThat(runner.create(new CreateRun(again, "", Allocation.NONE))).isTrue();
        assertThat(engine.names()).contains("berth-s-7-2");
    }

    /** As of a stop at a time limit that the target could not be told: the job ended by itself, and is tried again. */
    @Test
    void aStopThatComesLateLeavesTheNextAttemptAlone() {
        StopRun stop = new StopRun(handedOver(7));
        runner.expect(stop);
        Job again = job(7, new Creating(2, "", Allocation.NONE));
        CreateRun create = new CreateRun(again, "", Allocation.NONE);
        runner.expect(create);
        assertThat(runner.stop(stop)).isTrue();
        assertThat(engine.asked()).isEmpty();
        assertThat(runner.create(create)).isTrue();
        assertThat(engine.names()).contains("berth-s-7-2");
    }

    /** As after a restart, where somebody had suspended a Job of Kubernetes: what it owes would wait for that for ever. */
    @Test
    void anEngineThatSetsNoJobAsideIsNotAskedTo() {
        engine.able(new TargetEngine.Abilities("Played", "as a test says", Set.of()));
        Job job = handedOver(7);
        HoldRun hold = new HoldRun(job, true);
        runner.expect(hold);
        assertThat(runner.hold(hold)).isTrue();
        assertThat(engine.asked()).isEmpty();
    }

    /** They may be the only one who has jobs there, and then nobody else would find out that it answers. */
    @Test
    void oneUsersTroubleAtALookIsNoOutage() {
        Job _ = handedOver(7);
        engine.failing(new EngineException(Kind.FAILING, Scope.USER, "no key of theirs"));
        look();
        engine.failing(null);
        assertThat(runner.create(handOver(8))).isTrue();
    }

    /** As where the directory of its user has been closed since. */
    @Test
    void outputThatCannotBeReadIsNotAskedForForEver() throws Exception {
        Job job = handedOver(7);
        ReleaseRun release = new ReleaseRun(job);
        engine.failing(new EngineException(Kind.FAILING, "Permission denied"));
        assertThatThrownBy(() -> runner.release(release)).hasMessage("Permission denied");
        played.pass(Duration.ofMinutes(6));
        assertThat(runner.release(release)).isTrue();
        assertThat(engine.asked()).as("it stays there").isEmpty();
        assertThat(log(job))
                .contains("what the program wrote at last could not be brought from target cluster, and stays there")
                .contains("what the program left in $BERTH_OUTPUT_DIR could not be brought");
    }

    /** What would hand it over may wait for what cannot be done, and is behind it in the order of its job. */
    @Test
    void oneThatIsCancelledGivesItsTurnAway() {
        CreateRun first = handOver(7);
        CreateRun second = handOver(8);
        runner.expect(new StopRun(first.launch()));
        assertThat(runner.create(second)).isTrue();
        assertThat(engine.names()).containsExactly(name(8));
    }

    @Test
    void aCancelWaitsForNothingThatCannotBeDone() {
        Job job = handedOver(7);
        engine.failing(new EngineException(Kind.REFUSED, "Access/permission denied"));
        runner.expect(new StopRun(job));
        assertThat(runner.hold(new HoldRun(job, false))).isTrue();
        assertThat(runner.adopt(new AdoptRun(job))).isTrue();
    }

    /** All its nodes may be down: it takes jobs all the same. */
    @Test
    void anEngineThatIsNotWellAnswers() {
        CreateRun create = handOver(7);
        engine.away();
        assertThatThrownBy(() -> runner.create(create)).hasMessage("no answer from the controller");
        runner.watch(new BackgroundWork(played.tasks(), played.now()::get), Duration.ofSeconds(5));
        engine.failing(null).well(false);
        played.pass(Duration.ofSeconds(6));
        played.tasks().next();
        assertThat(runner.create(create)).isTrue();
    }

    @Test
    void whatNeverWentToItsTargetIsReleasedWhileThatIsAway() {
        CreateRun first = handOver(7);
        CreateRun second = handOver(8);
        engine.away();
        for (CreateRun create : List.of(first, second)) {
            assertThatThrownBy(() -> runner.create(create)).hasMessage("no answer from the controller");
        }
        Job job = second.launch();
        assertThat(runner.stop(new StopRun(job))).isTrue();
        assertThat(told).containsExactly(new RunGone(1));
        assertThat(played.logs().isExpected(job.id())).isTrue();
        assertThat(runner.release(new ReleaseRun(job))).isTrue();
        assertThat(played.logs().isExpected(job.id())).isFalse();
    }

    @Test
    void aCancelReachesTheEngineAndIsToldOnceItIsDone() {
        Job job = handedOver(7);
        StopRun stop = new StopRun(job);
        runner.expect(stop);
        assertThat(runner.stop(stop)).isTrue();
        look();
        assertThat(engine.asked()).containsExactly("cancel " + name(7) + " after 10 s");
        assertThat(told).containsExactly(new RunGone(1));
    }

    @Test
    void holdAndReleaseReachTheEngine() {
        Job job = handedOver(7);
        HoldRun hold = new HoldRun(job, true);
        runner.expect(hold);
        assertThat(runner.hold(hold)).isTrue();
        look();
        assertThat(told).isEmpty();
        assertThat(runner.hold(new HoldRun(job, false))).isTrue();
        assertThat(runner.hold(new HoldRun(job, false))).isTrue();
        assertThat(engine.asked()).containsExactly("hold " + name(7), "release " + name(7));
    }

    /** The look does not know of it yet: its news would undo what the user asked for. */
    @Test
    void aHoldThatComesToTheEngineDuringALookIsNotUndone() {
        Job job = handedOver(7);
        HoldRun hold = new HoldRun(job, true);
        runner.expect(hold);
        engine.afterLook(() -> assertThat(runner.hold(hold)).isTrue());
        look();
        assertThat(told).noneMatch(HoldSeen.class::isInstance);
    }

    @Test
    void whatSomebodyHoldsAtTheEngineIsTold() {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Waiting("4711", true, "held by its user"));
        look();
        engine.bring(name(7), new Phase.Waiting("4711", false, "waits"));
        runner.adopt(new AdoptRun(job));
        look();
        assertThat(told).containsExactly(new HoldSeen(1, true), new HoldSeen(1, false));
    }

    @Test
    void aSignalIsToldWhereAProgramGetsIt() {
        SignalRun signal = new SignalRun(creating(7), Signal.USR1);
        assertThat(runner.signal(signal)).isTrue();
        Job _ = handedOver(7);
        assertThat(runner.signal(signal)).isTrue();
        assertThat(told).isEmpty();
        engine.start(name(7));
        assertThat(runner.signal(signal)).isTrue();
        assertThat(told).containsExactly(new SignalSent(1, Signal.USR1));
        assertThat(engine.isAlive(name(7))).isFalse();
    }

    @Test
    void outputComesBackWhileItRunsAndToItsEnd() throws Exception {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Alive("4711", STARTED, "node1"));
        engine.write(name(7), OUTPUT, "one line\n");
        engine.write(name(7), TRACK, "{\"loss\": 1}\n");
        look();
        assertThat(log(job)).isEqualTo("one line\n");
        assertThat(played.workspaces().track(job)).hasContent("{\"loss\": 1}\n");

        engine.write(name(7), OUTPUT, "another one, which is longer\n");
        engine.write(name(7), ERROR, "an error\n");
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        assertThat(runner.release(new ReleaseRun(job))).isTrue();
        assertThat(log(job)).contains("one line\nanother one").contains("an error\n");
        assertThat(played.logs().isExpected(job.id())).isFalse();
        assertThat(engine.asked()).containsExactly("fetch " + name(7), "discard " + name(7));
    }

    /** As where a server was killed before it had all of an attempt, and the next one has begun. */
    @Test
    void whatAnEarlierAttemptToldIsNotTheNextOnes() throws Exception {
        Job job = handedOver(7);
        engine.write(name(7), OUTPUT, "the first one\n");
        engine.write(name(7), TRACK, "{\"loss\": 1, \"step\": 1000000000}\n{\"loss\": 2}\n");
        engine.bring(name(7), new Phase.Over("4711", new Exited(1, false), STARTED, ENDED, null));
        begin(played.restarted());
        Job again = job(7, new Creating(2, "", Allocation.NONE));
        assertThat(runner.release(new ReleaseRun(RunnerKind.TARGET, Attempt.of(job))))
                .isTrue();
        assertThat(log(again)).isEqualTo("the first one\n");
        assertThat(played.workspaces().trackSize(again)).isZero();
    }

    @Test
    void whatCannotBeBroughtNowIsAskedForAgainAndNotForEver() throws Exception {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        look();
        engine.failingToFetch(new EngineException(Kind.FAILING, "the shared directory is not mounted"));
        ReleaseRun release = new ReleaseRun(job);
        assertThatThrownBy(() -> runner.release(release)).hasMessage("the shared directory is not mounted");
        assertThat(engine.asked()).isEmpty();
        played.pass(Duration.ofMinutes(6));
        assertThat(runner.release(release)).isTrue();
        assertThat(engine.asked()).as("it stays there").isEmpty();
        assertThat(log(job))
                .contains("could not be brought from target cluster, and stays there: the shared directory");
    }

    @Test
    void whatCouldNotBeBroughtIsBroughtOnceThatHasPassed() {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        look();
        engine.failingToFetch(new EngineException(Kind.FAILING, "the disk is full"));
        assertThatThrownBy(() -> runner.release(new ReleaseRun(job))).hasMessage("the disk is full");
        engine.failingToFetch(null);
        assertThat(runner.release(new ReleaseRun(job))).isTrue();
        assertThat(engine.asked()).containsExactly("fetch " + name(7), "discard " + name(7));
    }

    /** As where an engine writes a last line of its own while the job is released and a look goes on. */
    @Test
    void aLookThatGoesOnDoesNotOpenACompleteLogAgain() throws Exception {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Alive("4711", STARTED, "node1"));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        List<Thread> looks = new CopyOnWriteArrayList<>();
        engine.before(
                () -> {
                    engine.write(name(7), ERROR, "cancelled\n");
                    engine.before(() -> {}, () -> {
                        inside.countDown();
                        await(gate);
                    });
                    looks.add(Thread.startVirtualThread(this::look));
                    await(inside);
                },
                () -> {});
        runner.adopt(new AdoptRun(job));
        Thread release = Thread.startVirtualThread(() -> runner.release(new ReleaseRun(job)));
        inside.await();
        // As far as it comes without the look.
        boolean _ = release.join(Duration.ofMillis(200));
        gate.countDown();
        release.join();
        for (Thread look : looks) {
            look.join();
        }
        assertThat(played.logs().isExpected(job.id())).isFalse();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its end is told all the same, and the server may be killed before the engine hands its output out. */
    @Test
    void theNextServerTakesTheOutputThatTheLastOneCouldNot() throws Exception {
        Job job = handedOver(7);
        engine.write(name(7), OUTPUT, "all of it\n");
        engine.bring(name(7), new Phase.Over("4711", new Exited(0, false), STARTED, ENDED, null));
        engine.before(() -> {}, () -> {
            throw new EngineException(Kind.UNREACHABLE, "no answer");
        });
        look();
        assertThat(told).contains(new RunExited(1, 0, false, STARTED, ENDED));
        assertThatThrownBy(() -> runner.release(new ReleaseRun(job))).hasMessage("no answer");

        begin(played.restarted());
        engine.before(() -> {}, () -> {});
        assertThat(runner.release(new ReleaseRun(job))).isTrue();
        assertThat(log(job)).isEqualTo("all of it\n");
    }

    @Test
    void theNextServerGoesOnWhereTheLastOneEnded() throws Exception {
        Job job = handedOver(7);
        engine.bring(name(7), new Phase.Alive("4711", STARTED, "node1"));
        engine.write(name(7), OUTPUT, "one line\n");
        look();
        told.clear();

        begin(played.restarted());
        assertThat(runner.list())
                .containsExactly(new Found(
                        RunnerKind.TARGET, new Attempt(job.id(), 1), new Found.Condition.FilesLeft(), List.of()));
        engine.write(name(7), OUTPUT, "another\n");
        AdoptRun adopt = new AdoptRun(job);
        runner.expect(adopt);
        assertThat(runner.adopt(adopt)).isTrue();
        look();
        assertThat(log(job)).isEqualTo("one line\nanother\n");
        assertThat(told).containsExactly(new RunStarted(1, STARTED));
        assertThat(runner.release(new ReleaseRun(job))).isTrue();
        assertThat(runner.list()).isEmpty();
    }

    @Test
    void aTargetThatIsNotSetUpAnyMoreIsWaitedForAndGivesCancelledJobsUp() {
        Job job = Jobs.job(
                7,
                Jobs.with(Jobs.spec(0), new AtTarget("gone", InContainer.of("", AtTarget.NODE))),
                Jobs.ADA,
                new HandedOver(1, false));
        played.keep(job);
        assertThatThrownBy(() -> runner.adopt(new AdoptRun(job))).hasMessageContaining("target gone is not set up");
        assertThat(runner.stop(new StopRun(job))).isTrue();
        assertThat(told).containsExactly(new RunGone(1));
    }
}
