package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.GpusConfirmed;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogFiles;
import dev.berth.server.log.LogSink;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.EffectRunner;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an engine that says no, or 500, makes of a launch. */
class LaunchTest {
    private static final String CONTAINER = "berth-harbour1-7-1";
    private static final Job JOB =
            Jobs.job(7, withoutSnapshot(), Jobs.ADA, new Queued(1, new ImageState.Ready("id-of-image")));
    private static final CreateRun CREATE = new CreateRun(JOB, "id-of-image", Allocation.NONE);
    private static final StartRun START = new StartRun(JOB, Jobs.ENGINE);

    private static JobSpec withoutSnapshot() {
        return Jobs.with(Jobs.spec(0), InContainer.of("", "image"));
    }

    @TempDir
    private Path directory;

    private final List<JobEvent> told = new ArrayList<>();
    private final DueTasks tasks = new DueTasks();
    private final FakeContainerEngine engine =
            new FakeContainerEngine(InstantSource.system(), (_, _) -> {}).withImage("image");
    private ContainerPlans plans;
    private EffectRunner effects;

    @BeforeEach
    void open() throws IOException {
        InstantSource clock = InstantSource.system();
        SnapshotStore snapshots =
                new SnapshotStore(Files.createDirectory(directory.resolve("snapshots")), UploadLimits.DEFAULT, clock);
        Workspaces workspaces = new Workspaces(Files.createDirectory(directory.resolve("jobs")), snapshots, false);
        connect(workspaces, GpuHandover.SIMULATED, _ -> Optional.of(Jobs.PROGRAM));
    }

    private void connect(Workspaces workspaces, GpuHandover handover) {
        connect(workspaces, handover, _ -> Optional.of(Jobs.PROGRAM));
    }

    private void connect(Workspaces workspaces, GpuHandover handover, Function<JobId, Optional<Program>> programs) {
        InstantSource clock = InstantSource.system();
        plans = new ContainerPlans(new ContainerNames("harbour1"), workspaces, handover, 1L << 26);
        Mounts mounts = Mounts.asUser(new MountRules(Settings.of(), Path.of("/nowhere"), List.of()));
        effects = ContainerEffects.on(
                engine,
                new ContainerParts(
                        plans,
                        workspaces,
                        mounts,
                        new LogStore(workspaces::of, Clocks.neverSet(clock)),
                        programs,
                        _ -> List.of(),
                        GpuGate.OPEN,
                        StartCheck.NONE,
                        Duration.ZERO,
                        Clocks.neverSet(clock)),
                tasks,
                (_, event) -> told.add(event));
    }

    /** The loss of what nobody knows to run would be passed over. */
    @Test
    void aProgramThatLosesItsGpusAtOnceIsToldToRunFirst() {
        effects.accept(List.of(CREATE));
        engine.strikeWith((verb, done) -> {
            if (verb.equals("start") && done) {
                engine.print(CONTAINER, LogSink.Stream.ERR, "Failed to initialize NVML: Unknown Error\n");
            }
        });
        effects.accept(List.of(START));
        assertThat(told).hasSize(3).satisfies(events -> {
            assertThat(events.get(1)).isInstanceOf(RunStarted.class);
            assertThat(events.get(2)).isInstanceOf(JobEvent.DeviceLost.class);
        });
    }

    @Test
    void aProgramThatTheDatabaseDoesNotHaveAsItWasWrittenIsRefusedAtOnce() {
        connect(plans.workspaces(), GpuHandover.SIMULATED, _ -> {
            throw StoreException.unreadable("job.parameters", new IOException("unexpected end"));
        });
        effects.accept(List.of(CREATE));
        assertThat(told)
                .containsExactly(new LaunchRefused(
                        1,
                        "its program cannot be read from the database, which holds what Berth cannot have written;"
                                + " submit it anew, or restore a backup (berth server restore)"));
        assertThat(tasks.isIdle()).isTrue();
    }

    /** As after an engine has forgotten one that a server took for gone, and remembers it. */
    @Test
    void theFilesOfAnEarlierAttemptGoWithItsContainer() {
        effects.accept(List.of(CREATE));
        Path files = plans.workspaces().of(CREATE.attempt());
        effects.accept(List.of(new ReleaseRun(
                RunnerKind.CONTAINER, new Attempt(CREATE.job(), CREATE.attempt().number() + 1))));
        assertThat(files).as("its container is there").exists();
        effects.accept(List.of(new SweepRun(RunnerKind.CONTAINER, CREATE.attempt())));
        tasks.runDue();
        assertThat(engine.inspect(CONTAINER)).isEmpty();
        assertThat(files).doesNotExist();
    }

    /** No container, no workspace: what cannot run is not begun. */
    @Test
    void anImageThatNeedsMoreThanTheDriverHasIsRefusedBeforeItsContainerIsMade() {
        engine.withEnvironment("image", Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=12.4"));
        Driver driver = new Driver("525.60", "12.0", null);
        connect(plans.workspaces(), new GpuHandover(GpuMode.RUNTIME, null, List.of(), () -> driver));
        CreateRun withGpu = new CreateRun(JOB, "id-of-image", Jobs.allocation(0));
        effects.accept(List.of(withGpu));
        assertThat(told).first().isEqualTo(new GpusConfirmed(1));
        assertThat(told)
                .hasSize(2)
                .last()
                .isInstanceOfSatisfying(
                        LaunchRefused.class,
                        refused -> assertThat(refused.sentence())
                                .startsWith(
                                        "image image needs CUDA >= 12.4, the driver 525.60 runs at most CUDA 12.0;"));
        assertThat(engine.all()).isEmpty();
        assertThat(directory.resolve("jobs/7")).doesNotExist();

        told.clear();
        effects.accept(List.of(CREATE));
        assertThat(told).as("a job without GPUs meets no driver").containsExactly(new RunCreated(1, Jobs.ENGINE));
    }

    /** The engine answers 500 to this verb, once, before or after it has done it. */
    private void fails(String verb, boolean done) {
        engine.strikeWith((struck, isDone) -> {
            if (struck.equals(verb) && isDone == done) {
                engine.strikeWith(FakeContainerEngine.Faults.NONE);
                throw new EngineException(Kind.REFUSED, "500 to " + verb);
            }
        });
    }

    @Test
    void aQuestionThatIsNotAnsweredRefusesNoLaunch() {
        fails("inspect", false);
        effects.accept(List.of(CREATE));
        assertThat(told).isEmpty();
        tasks.runDue();
        assertThat(told).containsExactly(new RunCreated(1, Jobs.ENGINE));
        fails("attach", false);
        effects.accept(List.of(START));
        tasks.runDue();
        assertThat(told).last().isInstanceOf(RunStarted.class);
    }

    @Test
    void whatWasRefusedItsStartIsRemovedByItsReleaseAndNotBefore() {
        effects.accept(List.of(CREATE));
        fails("start", false);
        effects.accept(List.of(START));
        assertThat(told).last().isEqualTo(new LaunchRefused(1, "the container could not be started: 500 to start"));
        assertThat(engine.all())
                .as("a server that died now and found nothing would believe that it had run")
                .containsExactly(CONTAINER);
        effects.accept(List.of(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB.id(), 1))));
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void whatRunsAlthoughItsStartWasRefusedRuns() {
        effects.accept(List.of(CREATE));
        fails("start", true);
        effects.accept(List.of(START));
        assertThat(told).containsExactly(new RunCreated(1, Jobs.ENGINE));
        tasks.runDue();
        assertThat(told).last().isInstanceOf(RunStarted.class);
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    @Test
    void whatAnEarlierServerMadeAndNeverStartedIsMadeAnew() {
        CreateRun elsewhere = new CreateRun(JOB, "id-of-image", Jobs.allocation(3));
        engine.create(plans.of(elsewhere, Jobs.PROGRAM, List.of()));
        effects.accept(List.of(CREATE));
        assertThat(told).containsExactly(new RunCreated(1, Jobs.ENGINE));
        assertThat(engine.plan(CONTAINER).environment()).containsEntry("BERTH_GPU_UUIDS", "");
    }

    /** The engine is killed as it starts one: its answer is lost, and it comes back without knowing of it. */
    private void engineIsKilledAtTheStart() {
        engineIsKilledAtTheStart(Kind.UNREACHABLE);
    }

    private void engineIsKilledAtTheStart(Kind answer) {
        engine.strikeWith((verb, done) -> {
            if (verb.equals("start") && done) {
                engine.strikeWith(FakeContainerEngine.Faults.NONE);
                engine.forgetStart(CONTAINER);
                engine.beginRun();
                throw new EngineException(answer, "killed");
            }
        });
    }

    @Test
    void aStartWhoseEngineWasKilledIsNotRepeatedAndWhatRunsOfItEnds() {
        effects.accept(List.of(CREATE));
        engineIsKilledAtTheStart();
        effects.accept(List.of(START));
        assertThat(engine.running()).containsExactly(CONTAINER);
        tasks.runDue();
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(engine.running()).isEmpty();
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
        assertThat(new LogFiles(plans.workspaces().of(JOB.id())).text())
                .contains(
                        "[berth: the container engine, or the connection to it, ended while it was to start this program; ");
    }

    @Test
    void norIsOneWhoseProgramHasEndedMeanwhile() {
        effects.accept(List.of(CREATE));
        engineIsKilledAtTheStart();
        effects.accept(List.of(START));
        engine.end(CONTAINER, 0);
        tasks.runDue();
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    /** Its containerd was killed alone: it calls the container created, and knows nothing of the program. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"FAILING", "REFUSED", "NOT_FOUND"})
    void norIsOneForWhichAnEngineAnswersThatHasLostItsContainerd(Kind answer) {
        effects.accept(List.of(CREATE));
        engineIsKilledAtTheStart(answer);
        effects.accept(List.of(START));
        engine.end(CONTAINER, 0);
        tasks.runDue();
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    /** As where its runtime failed after it had started the program: the engine goes on, and calls the container created. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void norIsOneOfWhichTheSameEngineDoesNotKnowHowFarItCame(boolean hasEnded) {
        effects.accept(List.of(CREATE));
        engine.strikeWith((verb, done) -> {
            if (verb.equals("start") && done) {
                engine.strikeWith(FakeContainerEngine.Faults.NONE);
                engine.forgetStart(CONTAINER);
                engine.failStart(CONTAINER);
                if (hasEnded) {
                    engine.end(CONTAINER, 0);
                }
                throw new EngineException(Kind.BEGUN, "OCI runtime start failed: runc: exit status 1: unknown");
            }
        });
        effects.accept(List.of(START));
        tasks.runDue();
        assertThat(told).last().isEqualTo(new StartLost(1, "OCI runtime start failed: runc: exit status 1: unknown"));
        assertThat(engine.running()).isEmpty();
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    @Test
    void norByTheNextServer() throws IOException {
        effects.accept(List.of(CREATE));
        engineIsKilledAtTheStart();
        effects.accept(List.of(START));
        tasks.forget();
        connect(plans.workspaces(), GpuHandover.SIMULATED);
        effects.accept(List.of(START));
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    @Test
    void aStartThatAnEarlierServerOwedIsMadeWhereTheEngineIsStillTheSame() {
        effects.accept(List.of(CREATE));
        connect(plans.workspaces(), GpuHandover.SIMULATED);
        effects.accept(List.of(START));
        assertThat(engine.inspect(CONTAINER).orElseThrow())
                .isInstanceOfSatisfying(
                        Condition.Alive.class,
                        alive -> assertThat(told)
                                .last()
                                .as("when it was, which may be before this server asked, the engine knows")
                                .isEqualTo(new RunStarted(1, alive.startedAt())));
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    private void theRequestToStartIsLost() {
        engine.strikeWith((verb, done) -> {
            if (verb.equals("start") && !done) {
                engine.strikeWith(FakeContainerEngine.Faults.NONE);
                throw new EngineException(Kind.UNREACHABLE, "cut");
            }
        });
    }

    @Test
    void anAnswerThatIsLostWhileTheEngineGoesOnIsAskedForAgain() {
        effects.accept(List.of(CREATE));
        theRequestToStartIsLost();
        effects.accept(List.of(START));
        tasks.runDue();
        assertThat(told).last().isInstanceOf(RunStarted.class);
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    /** Nothing of it can have begun: the next run of the engine is asked, once the store knows of it. */
    @Test
    void whatNoEngineWasAskedToStartIsStartedByTheNextRunOfIt() {
        effects.accept(List.of(CREATE));
        engine.beginRun();
        effects.accept(List.of(START));
        assertThat(engine.startedEver()).isEmpty();
        EngineRun next = new EngineRun("run 2");
        assertThat(told).last().isEqualTo(new RunCreated(1, next));
        effects.accept(List.of(new StartRun(JOB, next)));
        assertThat(told).last().isInstanceOf(RunStarted.class);
        assertThat(engine.startedEver()).containsExactly(CONTAINER);
    }

    @Test
    void whatTheEngineSaidNoToIsStartedByTheNextRunOfIt() {
        effects.accept(List.of(CREATE));
        engine.strikeWith((verb, done) -> {
            if (verb.equals("start")) {
                engine.strikeWith(FakeContainerEngine.Faults.NONE);
                throw new EngineException(Kind.FAILING, "its disk is full");
            }
        });
        effects.accept(List.of(START));
        engine.beginRun();
        tasks.runDue();
        assertThat(told).last().isEqualTo(new RunCreated(1, new EngineRun("run 2")));
    }

    /** As with an engine on another machine: only what was never asked for, or answered with a no, is asked for. */
    @Test
    void whereRunsCannotBeToldApartAStartWithoutAnAnswerIsNotRepeated() {
        engine.hideRuns();
        effects.accept(List.of(CREATE));
        assertThat(told).containsExactly(new RunCreated(1, EngineRun.UNKNOWN));
        StartRun start = new StartRun(JOB, EngineRun.UNKNOWN);
        theRequestToStartIsLost();
        effects.accept(List.of(start));
        tasks.runDue();
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(engine.startedEver()).isEmpty();
    }

    /** A store that was brought back may take one for new that has begun since. */
    @Test
    void whatRunsUnknownToTheEngineEndsBeforeItsContainerIsMadeAnew() {
        effects.accept(List.of(CREATE));
        effects.accept(List.of(START));
        engine.forgetStart(CONTAINER);
        connect(plans.workspaces(), GpuHandover.SIMULATED);
        effects.accept(List.of(CREATE));
        assertThat(engine.running()).isEmpty();
        assertThat(engine.stopped()).containsExactly(CONTAINER);
        assertThat(told).last().isEqualTo(new RunCreated(1, Jobs.ENGINE));
    }

    @Test
    void whatRunsUnknownToTheEngineEndsBeforeItsContainerIsReleased() {
        effects.accept(List.of(CREATE));
        effects.accept(List.of(START));
        engine.forgetStart(CONTAINER);
        effects.accept(List.of(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB.id(), 1))));
        assertThat(engine.stopped()).containsExactly(CONTAINER);
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void aStopOfWhatTheEngineHasForgottenTellsThatTheStartIsLost() {
        effects.accept(List.of(CREATE));
        effects.accept(List.of(START));
        engine.forgetStart(CONTAINER);
        effects.accept(List.of(new StopRun(RunnerKind.CONTAINER, new Attempt(JOB.id(), 1), null)));
        assertThat(engine.stopped()).containsExactly(CONTAINER);
        assertThat(told).last().isEqualTo(new StartLost(1));
    }
}
