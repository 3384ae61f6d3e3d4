package dev.berth.server.gpu.occupy;

import static dev.berth.server.gpu.occupy.CsvGpus.FIRST;
import static dev.berth.server.gpu.occupy.GateStage.ATTEMPT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.gpu.lock.Python;
import dev.berth.server.gpu.lock.SafeGpuLock;
import dev.berth.server.gpu.occupy.GpuGate.Answer;
import dev.berth.server.upkeep.BackgroundWork;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One GPU, our gate, and two real Python processes that do what safe-gpu does, a hundred times at once. */
class SafeGpuRaceTest {
    private static final int RACES = 100;
    private static final int MAX_HEAD_START = 200_000;

    /** Lock, look, occupy where nobody is there, unlock (safe_gpu.py, GPUOwner.__init__). */
    private static final String CLAIM = """
        import fcntl, os, sys
        state, uuid = sys.argv[1:3]
        print("ready", flush=True)
        for path in map(str.strip, sys.stdin):
            fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o666)
            fcntl.lockf(fd, fcntl.LOCK_EX)
            with open(state) as apps:
                rows = [line.split(",") for line in apps]
            free = not any(row[0] == uuid and os.path.exists("/proc/" + row[1]) for row in rows)
            if free:
                with open(state, "a") as apps:
                    apps.write("%s,%d,python3,300\\n" % (uuid, os.getpid()))
            fcntl.lockf(fd, fcntl.LOCK_UN)
            os.close(fd)
            print("mine" if free else "taken", flush=True)
        """;

    @TempDir
    private Path folder;

    @Test
    void noGpuIsInTwoHands() throws Exception {
        GateStage stage = new GateStage(folder);
        Placeholders placeholders = new Placeholders(
                stage.gpus,
                stage.processes,
                _ -> false,
                new PlaceholderProgram(folder.getFileName().toString(), StandInCuda.in(folder)),
                java.time.InstantSource.system());
        ObstacleCheck obstructions = stage.obstructions(new ForeignPolicy.AnyProcess());
        SplittableRandom random = new SplittableRandom(20_261_121);
        int ours = 0;
        String state = folder.resolve("contexts.csv").toString();
        try (SafeGpuLock lock = SafeGpuLock.in(
                        folder,
                        stage.processes,
                        () -> {},
                        Duration.ofSeconds(2),
                        BackgroundWork.onVirtualThreads(InstantSource.system()));
                Python alice = Python.script(folder, "claim.py", CLAIM, state, FIRST.uuid())
                        .says("ready");
                Python bob = Python.script(folder, "claim.py", CLAIM, state, FIRST.uuid())
                        .says("ready")) {
            CheckedGpuGate gate =
                    new CheckedGpuGate(obstructions, stage.watch(obstructions), stage.levels, lock, placeholders);
            // So that both files are there: who comes first makes them.
            assertThat(gate.occupy(ATTEMPT, List.of(FIRST))).isEqualTo(new Answer.Occupied());
            placeholders.end(ATTEMPT);
            for (int race = 0; race < RACES; race++) {
                stage.gpus.empty();
                Path file = race % 2 == 0 ? LockFiles.oldFile(folder) : LockFiles.newFile(folder);
                boolean isFirst = random.nextBoolean();
                if (!isFirst) {
                    alice.hears(file.toString());
                    bob.hears(file.toString());
                    spin(random.nextInt(MAX_HEAD_START));
                }
                CompletableFuture<Answer> answer =
                        CompletableFuture.supplyAsync(() -> gate.occupy(ATTEMPT, List.of(FIRST)));
                if (isFirst) {
                    spin(random.nextInt(MAX_HEAD_START));
                    alice.hears(file.toString());
                    bob.hears(file.toString());
                }
                boolean isOurs = answer.join() instanceof Answer.Occupied;

                List<String> hands = new ArrayList<>(List.of(alice.line(), bob.line()));
                hands.removeIf("taken"::equals);
                if (isOurs) {
                    hands.add("mine");
                    ours++;
                }
                assertThat(hands).as("who has the GPU after race %d", race).containsExactly("mine");
                assertThat(stage.gpus.processes(FIRST)).hasSize(1);
                placeholders.end(ATTEMPT);
            }
        } finally {
            placeholders.retain(Set.of());
        }
        assertThat(ours).as("races that Berth won").isBetween(1, RACES - 1);
    }

    /** A head start of the others, so that each has its share of the races. */
    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }
}
