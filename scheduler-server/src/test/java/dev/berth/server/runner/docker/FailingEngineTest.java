package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.LaunchPutOff;
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
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogFiles;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Only the engine's last word about creation and start refuses a launch; all else is asked again. */
class FailingEngineTest {
    private static final JobId JOB = new JobId(7);
    private static final String NAME = "berth-server01-7-1";

    @TempDir
    private Path directory;

    private final List<JobEvent> told = new ArrayList<>();
    private final List<BooleanSupplier> later = new ArrayList<>();
    private final FakeContainerEngine engine =
            new FakeContainerEngine(InstantSource.system(), (_, _) -> {}).withImage("image");
    private StartCheck.Verdict own = new StartCheck.Verdict.Unknown();
    private int doubts;
    private boolean awayWhenTried;
    private final List<Integer> doubtsWhenAsked = new ArrayList<>();
    private final SortedMap<GpuId, String> faults = new TreeMap<>();
    private final StartCheck check = new StartCheck() {
        @Override
        public Verdict engine() {
            doubtsWhenAsked.add(doubts);
            return own;
        }

        @Override
        public void doubt() {
            doubts++;
        }

        @Override
        public SortedMap<GpuId, String> faults(Allocation allocation) {
            assertThat(engine.startedEver()).as("nothing of the job runs").isEmpty();
            if (awayWhenTried) {
                throw new EngineException(Kind.UNREACHABLE, "away");
            }
            return faults;
        }

        @Override
        public Optional<String> complaint() {
            return Optional.empty();
        }
    };
    private ContainerParts parts;
    private DockerRunner containers;
    private CreateRun creation;

    @BeforeEach
    void open() throws IOException {
        Workspaces workspaces = new Workspaces(
                Files.createDirectory(directory.resolve("jobs")),
                new SnapshotStore(
                        Files.createDirectory(directory.resolve("snapshots")),
                        UploadLimits.DEFAULT,
                        InstantSource.system()),
                false);
        ContainerNames names = new ContainerNames("server01");
        parts = new ContainerParts(
                new ContainerPlans(names, workspaces, GpuHandover.SIMULATED, 1 << 26),
                workspaces,
                Mounts.asUser(new MountRules(Settings.of(), Path.of("/run/engine"), List.of())),
                new LogStore(workspaces::of, Clocks.neverSet(InstantSource.system())),
                _ -> Optional.of(Jobs.PROGRAM),
                _ -> List.of(),
                GpuGate.OPEN,
                check,
                Duration.ofSeconds(1),
                Clocks.neverSet(InstantSource.system()));
        containers = server();
        JobSpec spec = Jobs.with(Jobs.spec(0), InContainer.of("", "image"));
        Job job = Jobs.job(JOB.value(), spec, Jobs.ROOT, new Queued(1, new ImageState.Ready("id-of-image")));
        creation = new CreateRun(job, "id-of-image", Allocation.NONE);
    }

    /** One that knows nothing of what others have asked for. */
    private DockerRunner server() {
        return new DockerRunner(engine, parts, (_, event) -> told.add(event), (_, work) -> later.add(work));
    }

    private boolean create() {
        return containers.create(creation);
    }

    /** A server that was killed may have owed it, and the next one leaves it until the log has no other writer. */
    @Test
    void theFilesOfAnEarlierAttemptGoWithTheLastOne() throws Exception {
        create();
        containers.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 2)));
        assertThat(parts.workspaces().laidOut()).as("its container is there").hasSize(1);
        engine.remove(NAME);
        containers.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 2)));
        assertThat(parts.workspaces().laidOut()).isEmpty();
    }

    private boolean start() {
        return containers.start(new StartRun(creation.launch(), Jobs.ENGINE));
    }

    private void fails(String verb, Kind kind) {
        engine.strikeWith((call, done) -> {
            if (call.equals(verb) && !done) {
                throw new EngineException(kind, "out of order");
            }
        });
    }

    /** As {@link EngineRetry} does, but without end and without pauses. */
    private static void failsEachTime(int times, BooleanSupplier work) {
        for (int time = 0; time < times; time++) {
            assertThatThrownBy(work::getAsBoolean).isInstanceOf(EngineException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"REFUSED", "FAILING", "LATE", "UNREACHABLE", "UNABLE", "INTERRUPTED"})
    void aQuestionThatIsNotAnsweredRefusesNothing(Kind kind) {
        fails("inspect", kind);
        failsEachTime(50, this::create);
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        assertThat(create()).isTrue();
        fails("inspect", kind);
        failsEachTime(50, this::start);
        fails("attach", kind);
        failsEachTime(1, this::start);
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        assertThat(start()).isTrue();
        assertThat(told).hasOnlyElementsOfTypes(RunCreated.class, RunStarted.class);
        assertThat(engine.startedEver()).containsExactly(NAME);
    }

    @Test
    void anEngineThatFailsAtTheCreationIsAskedForAMinute() {
        fails("create", Kind.FAILING);
        failsEachTime(LaunchFailures.MAX - 1, this::create);
        assertThat(told).isEmpty();
        assertThat(create()).isTrue();
        assertThat(told).containsExactly(new LaunchRefused(1, "the container could not be started: out of order"));
    }

    @Test
    void anEngineThatFailsAtTheStartForAWhileStartsItOnce() {
        create();
        fails("start", Kind.FAILING);
        failsEachTime(LaunchFailures.MAX - 1, this::start);
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        assertThat(start()).isTrue();
        assertThat(told).hasOnlyElementsOfTypes(RunCreated.class, RunStarted.class);
        assertThat(engine.startedEver()).containsExactly(NAME);
    }

    @Test
    void whatFailsWhereBerthsOwnStartsIsTheJobsFaultSoon() {
        own = new StartCheck.Verdict.Well();
        fails("create", Kind.FAILING);
        failsEachTime(1, this::create);
        assertThat(doubts).as("a start of Berth's own from before says nothing").isEqualTo(1);
        failsEachTime(LaunchFailures.MAX_OWN - 2, this::create);
        assertThat(create()).isTrue();
        assertThat(told).containsExactly(new LaunchRefused(1, "the container could not be started: out of order"));
        assertThat(doubts).isEqualTo(1);
    }

    @Test
    void whatBerthsOwnFailsAtTooPutsTheJobOffAndLeavesNothingOfIt() {
        own = new StartCheck.Verdict.Failing("no room");
        fails("create", Kind.FAILING);
        failsEachTime(LaunchFailures.MAX - 1, this::create);
        assertThat(told).isEmpty();
        assertThat(create()).isTrue();
        assertThat(told).containsExactly(new LaunchPutOff(1, "out of order"));
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void aCreationThatIsLateTwiceIsGivenUp() {
        fails("create", Kind.LATE);
        failsEachTime(LaunchFailures.MAX_LATE - 1, this::create);
        assertThat(told).isEmpty();
        assertThat(create()).isTrue();
        assertThat(told).containsExactly(new LaunchRefused(1, "the container could not be started: out of order"));
    }

    /** Its job is finished, and nobody else would remove it before the server's next start. */
    @Test
    void whatTheEngineMakesOfACreationThatWasGivenUpIsRemoved() {
        fails("create", Kind.LATE);
        failsEachTime(LaunchFailures.MAX_LATE - 1, this::create);
        assertThat(create()).isTrue();
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        engine.create(parts.plans().of(creation, Jobs.PROGRAM, List.of()));
        assertThat(engine.all()).containsExactly(NAME);
        assertThat(later).singleElement().satisfies(work -> {
            fails("remove", Kind.UNREACHABLE);
            failsEachTime(2, work);
            engine.strikeWith(FakeContainerEngine.Faults.NONE);
            assertThat(work.getAsBoolean()).isTrue();
            assertThat(engine.all()).isEmpty();
            assertThat(work.getAsBoolean()).as("it never came").isTrue();
        });
        assertThat(told).as("the job has heard all before").hasSize(1);
    }

    @Test
    void aCreationThatIsLateAsBerthsOwnIsPutsTheJobOff() {
        own = new StartCheck.Verdict.Failing("no room");
        fails("create", Kind.LATE);
        failsEachTime(LaunchFailures.MAX_LATE - 1, this::create);
        assertThat(create()).isTrue();
        assertThat(told).containsExactly(new LaunchPutOff(1, "out of order"));
    }

    /** The engine may start it yet: nobody else is given its GPUs before it is gone. */
    @Test
    void aStartThatIsLateTwiceIsGivenUpOnceItsContainerIsGone() {
        create();
        fails("start", Kind.LATE);
        failsEachTime(LaunchFailures.MAX_LATE - 1, this::start);
        engine.strikeWith((call, done) -> {
            if (!done && (call.equals("start") || call.equals("remove"))) {
                throw new EngineException(Kind.LATE, "out of order");
            }
        });
        failsEachTime(3, this::start);
        assertThat(told).containsExactly(new RunCreated(1, Jobs.ENGINE));
        fails("start", Kind.LATE);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new LaunchRefused(1, "the container could not be started: out of order"));
        assertThat(engine.all()).isEmpty();
        assertThat(engine.startedEver()).isEmpty();
    }

    /** Law 4: what was asked to start is not asked in another container. */
    @Test
    void aStartThatFailsWhereBerthsOwnFailsTooIsRefusedAndNotPutOff() {
        create();
        own = new StartCheck.Verdict.Failing("no room");
        fails("start", Kind.FAILING);
        failsEachTime(LaunchFailures.MAX - 1, this::start);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new LaunchRefused(1, "the container could not be started: out of order"));
        assertThat(engine.startedEver()).isEmpty();
    }

    @Test
    void aGpuOnWhichBerthsOwnDoesNotStartEitherIsNamed() {
        faults.put(new GpuId("GPU-1"), "unknown device");
        create();
        fails("start", Kind.REFUSED);
        assertThat(start()).isTrue();
        assertThat(told)
                .last()
                .isEqualTo(new LaunchRefused(1, "the container could not be started: out of order", faults));
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"UNABLE", "UNREACHABLE"})
    void aLeftoverAndAnEngineThatIsAwayRefuseNoLaunchEver(Kind kind) {
        fails("create", kind);
        failsEachTime(500, this::create);
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        create();
        fails("start", kind);
        failsEachTime(500, this::start);
        assertThat(told).containsExactly(new RunCreated(1, Jobs.ENGINE));
        assertThat(engine.all()).containsExactly(NAME);
    }

    @Test
    void aRefusalIsTheEnginesWordAtOnce() {
        create();
        fails("start", Kind.REFUSED);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new LaunchRefused(1, "the container could not be started: out of order"));
        assertThat(engine.all()).as("its release removes it").containsExactly(NAME);
    }

    /** An engine that was killed in the middle of a start: law 4 says that it is not started again. */
    @Test
    void whatMayHaveBegunIsGoneAndNotStartedAgain() {
        create();
        fails("start", Kind.BEGUN);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1, "out of order"));
        assertThat(engine.startedEver()).isEmpty();
        assertThat(doubtsWhenAsked)
                .as("whether it starts anything is found out for the next job")
                .containsExactly(1);
    }

    /** Berth's own container is tried while the GPUs are the job's, and nothing of it runs on them. */
    @Test
    void aGpuOnWhichBerthsOwnDoesNotStartEitherIsNamedWithALostStart() {
        faults.put(new GpuId("GPU-1"), "unknown device");
        create();
        fails("start", Kind.BEGUN);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1, "out of order", faults));
    }

    /**
     * The engine went away before Berth's own container could be tried: the start is lost all the same, and not repeated.
     */
    @Test
    void aLostStartIsNotRepeatedWhereItsGpusCouldNotBeTriedAtOnce() {
        create();
        fails("start", Kind.BEGUN);
        awayWhenTried = true;
        assertThatThrownBy(this::start).isInstanceOf(EngineException.class);
        assertThat(told).doesNotHaveAnyElementsOfTypes(StartLost.class);
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        awayWhenTried = false;
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1, "out of order"));
        assertThat(engine.startedEver()).isEmpty();
    }

    @Test
    void theLogSaysOnceThatAStartIsLostHoweverOftenTheTrialIsRepeated() {
        create();
        fails("start", Kind.BEGUN);
        awayWhenTried = true;
        failsEachTime(3, this::start);
        awayWhenTried = false;
        assertThat(start()).isTrue();
        assertThat(new LogFiles(parts.workspaces().of(JOB)).text())
                .containsOnlyOnce(
                        "the container engine, or the connection to it, ended while it was to start this program");
    }

    /** The last one was killed before it heard more: a no, or that nobody knows. */
    @Test
    void aStartThatFailedUnderAnEarlierServerIsNotAskedForAgain() {
        create();
        engine.failStart(NAME);
        containers = server();
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(engine.startedEver()).isEmpty();
    }

    /** Whether containerd has ended meanwhile cannot be seen, so that an error is no proof of anything. */
    @Test
    void aStartThatFailsAtAnEngineThatIsNotSeenIsAskedForOnce() {
        create();
        engine.hideRuns();
        fails("start", Kind.FAILING);
        assertThat(containers.start(new StartRun(creation.launch(), EngineRun.UNKNOWN)))
                .isTrue();
        assertThat(told).last().isEqualTo(new LaunchRefused(1, "the container could not be started: out of order"));
    }

    /**
     * Its containerd, say: whether it starts anything now is found out for the next job, and not by a start from before.
     */
    @Test
    void aStartThatFailsAsItsEngineEndsIsLostAndMakesEarlierTestStartsWorthless() {
        create();
        endsInTheNextStart(Kind.FAILING);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(doubtsWhenAsked).containsExactly(1);
    }

    /** Only the run of the engine that was asked can be waited for: the next one knows nothing of the start. */
    @Test
    void aStartThatIsLateAsItsEngineEndsIsLostAndNotRefused() {
        create();
        fails("start", Kind.LATE);
        failsEachTime(LaunchFailures.MAX_LATE - 1, this::start);
        endsInTheNextStart(Kind.LATE);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1));
        assertThat(told).doesNotHaveAnyElementsOfTypes(LaunchRefused.class);
    }

    /** Another run of it is there when its answer comes. */
    private void endsInTheNextStart(Kind kind) {
        engine.strikeWith((call, done) -> {
            if (call.equals("start") && !done) {
                engine.beginRun();
                throw new EngineException(kind, "out of order");
            }
        });
    }

    /** Its answer to the removal was lost. */
    @Test
    void whatBerthItselfRemovedIsNotCalledRemovedBySomebody() {
        create();
        containers = server();
        engine.strikeWith((call, done) -> {
            if (done && call.equals("remove")) {
                throw new EngineException(Kind.UNREACHABLE, "no answer");
            }
        });
        StopRun stop = new StopRun(RunnerKind.CONTAINER, new Attempt(JOB, 1), null);
        assertThatThrownBy(() -> containers.stop(stop)).isInstanceOf(EngineException.class);
        assertThat(containers.stop(stop)).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1));
    }

    /** Its processes have to be ended first, which takes more than one try. */
    @Test
    void whatMayHaveBegunAndCannotBeEndedYetIsNotStartedAgainEither() {
        create();
        List<String> asked = new ArrayList<>();
        engine.strikeWith((call, done) -> {
            if (done) {
                return;
            }
            asked.add(call);
            if (call.equals("start")) {
                engine.failStart(NAME);
                throw new EngineException(Kind.BEGUN, "ttrpc: closed");
            }
            if (call.equals("stop")) {
                throw new EngineException(Kind.UNABLE, "a process is left");
            }
        });
        failsEachTime(3, this::start);
        assertThat(told).doesNotHaveAnyElementsOfTypes(StartLost.class);
        engine.strikeWith(FakeContainerEngine.Faults.NONE);
        assertThat(start()).isTrue();
        assertThat(told).last().isEqualTo(new StartLost(1, "ttrpc: closed"));
        assertThat(asked).containsOnlyOnce("start");
        assertThat(engine.startedEver()).isEmpty();
    }

    /** Somebody removes the container right before the n-th call of an effect. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void aContainerThatVanishesIsNoReasonToAskForever(int calls) {
        create();
        for (BooleanSupplier effect : List.<BooleanSupplier>of(
                this::start,
                () -> containers.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 1))),
                () -> containers.stop(new StopRun(RunnerKind.CONTAINER, new Attempt(JOB, 1), null)),
                () -> containers.sweep(new SweepRun(RunnerKind.CONTAINER, new Attempt(JOB, 1))),
                () -> containers.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 1))))) {
            if (engine.all().isEmpty()) {
                create();
            }
            vanishAfter(calls);
            assertThat(doneInAFewTries(effect)).isTrue();
            engine.strikeWith(FakeContainerEngine.Faults.NONE);
        }
    }

    private void vanishAfter(int calls) {
        int[] left = {calls};
        engine.strikeWith((_, done) -> {
            if (!done && left[0]-- == 0) {
                engine.vanish(NAME);
            }
        });
    }

    private static boolean doneInAFewTries(BooleanSupplier effect) {
        for (int tries = 0; tries < 3; tries++) {
            try {
                if (effect.getAsBoolean()) {
                    return true;
                }
            } catch (EngineException e) {
                assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND);
            }
        }
        return false;
    }
}
