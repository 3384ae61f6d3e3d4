package dev.berth.server.gpu.occupy;

import static dev.berth.server.gpu.occupy.CsvGpus.FIRST;
import static dev.berth.server.gpu.occupy.CsvGpus.SECOND;
import static dev.berth.server.gpu.occupy.GateStage.ATTEMPT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.machine.Obstacle;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.lock.Python;
import dev.berth.server.gpu.lock.SafeGpuLock;
import dev.berth.server.gpu.occupy.GateStage.Sleeper;
import dev.berth.server.gpu.occupy.GpuGate.Answer;
import dev.berth.server.upkeep.BackgroundWork;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is in the way of an allocation, what the loop hears of it, and when it is out of the way. */
class CheckedGpuGateTest {
    private static final ForeignPolicy ANY = new ForeignPolicy.AnyProcess();
    private static final String USER = System.getProperty("user.name");

    @TempDir
    private Path folder;

    private GateStage stage;

    @BeforeEach
    void open() {
        stage = new GateStage(folder);
    }

    private CheckedGpuGate gate(ForeignPolicy policy) {
        ObstacleCheck obstructions = stage.obstructions(policy);
        return new CheckedGpuGate(obstructions, stage.watch(obstructions), stage.levels, null, null);
    }

    @Test
    void emptyGpusAreOccupied() {
        assertThat(gate(ANY).occupy(ATTEMPT, List.of(FIRST, SECOND))).isEqualTo(new Answer.Occupied());
        assertThat(gate(ANY).occupy(ATTEMPT, List.of())).isEqualTo(new Answer.Occupied());
        assertThat(stage.told).isEmpty();
        assertThat(stage.later)
                .as("nothing is looked at while nothing is in the way")
                .isEmpty();
    }

    @Test
    void theGpusOfAJobAreLookedAtAtOnce() {
        stage.gpus.answerOnlyAtOnce(2);
        assertThat(gate(ANY).occupy(ATTEMPT, List.of(FIRST, SECOND))).isEqualTo(new Answer.Occupied());
    }

    @Test
    void aForeignProcessIsNamedAndWatchedUntilItIsGone() throws Exception {
        try (Sleeper foreign = new Sleeper()) {
            stage.gpus.put(SECOND, foreign.pid(), "812");
            String sentence =
                    "process " + foreign.pid() + " of " + USER + " is on it with 812 MiB since 2026-01-01T08:00:00Z";
            assertThat(gate(ANY).occupy(ATTEMPT, List.of(FIRST, SECOND)))
                    .isInstanceOfSatisfying(
                            Answer.Taken.class,
                            taken -> assertThat(taken.sentences())
                                    .containsOnly(java.util.Map.entry(SECOND, "GPU 1: " + sentence)));
            assertThat(stage.last().refused()).contains(ATTEMPT);
            assertThat(stage.last().obstacles()).containsOnlyKeys(SECOND);
            assertThat(stage.last().obstacles().get(SECOND)).isEqualTo(new Obstacle.Foreign(sentence));

            stage.now = stage.now.plusSeconds(60);
            assertThat(stage.runNext()).isTrue();
            assertThat(stage.told).as("nothing has changed").hasSize(1);
        }
        assertThat(stage.runNext()).isTrue();
        assertThat(stage.last().refused()).isEmpty();
        assertThat(stage.last().obstacles()).isEmpty();
        assertThat(stage.runNext()).as("nothing is left to be looked at").isFalse();
        assertThat(gate(ANY).occupy(ATTEMPT, List.of(SECOND))).isEqualTo(new Answer.Occupied());
    }

    @Test
    void theWatchLooksAtMostFiveTimesASecondAndAtLeastOnce() throws Exception {
        try (Sleeper foreign = new Sleeper()) {
            stage.gpus.put(FIRST, foreign.pid(), "[N/A]");
            assertThat(gate(ANY).occupy(ATTEMPT, List.of(FIRST))).isInstanceOf(Answer.Taken.class);
            for (int looks = 0; looks < 6; looks++) {
                assertThat(stage.runNext()).isTrue();
            }
            assertThat(stage.pauses.stream().map(Duration::toMillis))
                    .containsExactly(200L, 400L, 600L, 800L, 1_000L, 1_000L, 1_000L);
            assertThat(stage.last().on(FIRST)).doesNotContain("MiB");
        }
    }

    @Test
    void nothingIsLookedAtForNobody() throws Exception {
        try (Sleeper foreign = new Sleeper()) {
            stage.gpus.put(FIRST, foreign.pid(), "812");
            assertThat(gate(ANY).occupy(ATTEMPT, List.of(FIRST))).isInstanceOf(Answer.Taken.class);
            stage.isAwaited = false;
            assertThat(stage.runNext()).isTrue();
            assertThat(stage.last().obstacles()).isEmpty();
            assertThat(stage.runNext()).isFalse();
        }
    }

    @Test
    void oursIsNotInTheWay() throws Exception {
        try (Sleeper own = new Sleeper()) {
            stage.gpus.put(FIRST, own.pid(), "812");
            stage.ours.put(ProcessHandle.current().pid(), ATTEMPT);
            assertThat(gate(ANY).occupy(ATTEMPT, List.of(FIRST)))
                    .as("its parent is ours")
                    .isEqualTo(new Answer.Occupied());
        }
    }

    @Test
    void aProcessThatCannotBeSeenIsInTheWayAllTheSame() {
        // No number of a process is that high (kernel.pid_max), and the file has it as if it were there.
        stage.gpus.put(FIRST, 1, "1");
        assertThat(new ForeignProcess(stage.gpus.processes(FIRST).getFirst(), 0, "", "", null, stage.now).sentence())
                .isEqualTo("process 1, which cannot be seen from here, is on it with 1 MiB since 2026-01-01T08:00:00Z");
    }

    @Test
    void aGpuOfWhichTheDriverSaysNothingIsSick() {
        String sentence = "is out of service: the driver has not answered for 2 s";
        stage.gpus.breakDown(FIRST, hung(sentence));
        assertThat(gate(ANY).occupy(ATTEMPT, List.of(FIRST, SECOND))).isInstanceOf(Answer.Taken.class);
        assertThat(stage.last().obstacles().get(FIRST)).isEqualTo(new Obstacle.Sick(sentence));
        stage.gpus.mend(FIRST);
        assertThat(stage.runNext()).isTrue();
        assertThat(stage.last().obstacles()).isEmpty();
    }

    private static GpuException hung(String sentence) {
        return new GpuException(GpuException.Kind.HUNG, sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "any-process, 1, true",
        "off, 20000, false",
        "memory:300, 299, false",
        "memory:300, 300, true",
        "memory:300, [N/A], true"
    })
    void thePolicyDecidesWhatIsInTheWay(String policy, String mebibytes, boolean taken) throws Exception {
        try (Sleeper foreign = new Sleeper()) {
            stage.gpus.put(FIRST, foreign.pid(), mebibytes);
            assertThat(gate(ForeignPolicy.parse(policy).orElseThrow()).occupy(ATTEMPT, List.of(FIRST)))
                    .isInstanceOf(taken ? Answer.Taken.class : Answer.Occupied.class);
        }
    }

    @Test
    void whileSomebodyHasTheLockNothingIsGivenOut() throws Exception {
        Semaphore told = new Semaphore(0);
        ObstacleCheck obstructions = stage.obstructions(ANY);
        ObstacleWatch watch = stage.watch(obstructions);
        try (SafeGpuLock lock = SafeGpuLock.in(
                folder,
                stage.processes,
                () -> {
                    watch.unlocked();
                    told.release();
                },
                Duration.ofMinutes(1),
                BackgroundWork.onVirtualThreads(InstantSource.system()))) {
            CheckedGpuGate gate = new CheckedGpuGate(obstructions, watch, stage.levels, lock, null);
            assertThat(gate.occupy(ATTEMPT, List.of(FIRST))).isEqualTo(new Answer.Occupied());
            try (Python python = Python.holding(folder, LockFiles.oldFile(folder))) {
                assertThat(gate.occupy(ATTEMPT, List.of(FIRST)))
                        .isInstanceOfSatisfying(
                                Answer.Locked.class,
                                locked -> assertThat(locked.sentence())
                                        .isEqualTo(
                                                "safe-gpu's lock is held by process " + python.pid() + " of " + USER));
                assertThat(stage.last().refused()).contains(ATTEMPT);
                assertThat(stage.last().lock()).isPresent();
                python.letGo();
                assertThat(told.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
                assertThat(stage.last().lock()).isEmpty();
                assertThat(stage.last().refused()).isEmpty();
                assertThat(gate.occupy(ATTEMPT, List.of(FIRST))).isEqualTo(new Answer.Occupied());
            }
        }
    }

    /** Anyone who is told that it is had may not know of the refusal yet, and does nothing then. */
    @Test
    void aLockThatIsHadBeforeItsRefusalIsKnownKeepsNobodyWaiting() {
        Semaphore had = new Semaphore(0);
        ObstacleCheck obstructions = stage.obstructions(ANY);
        ObstacleWatch watch = stage.watch(obstructions);
        try (SafeGpuLock lock = SafeGpuLock.in(
                        folder,
                        stage.processes,
                        had::release,
                        Duration.ofMinutes(1),
                        BackgroundWork.onVirtualThreads(InstantSource.system()));
                Python python = Python.holding(folder, LockFiles.oldFile(folder))) {
            stage.whenRefused = () -> {
                python.letGo();
                had.acquireUninterruptibly();
            };
            CheckedGpuGate gate = new CheckedGpuGate(obstructions, watch, stage.levels, lock, null);
            assertThat(gate.occupy(ATTEMPT, List.of(FIRST))).isInstanceOf(Answer.Locked.class);
            assertThat(stage.told).hasSize(2);
            assertThat(stage.last().lock()).isEmpty();
        }
    }
}
