package dev.berth.server.gpu.occupy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.lock.Python;
import dev.berth.server.gpu.lock.SafeGpuLock;
import dev.berth.server.gpu.nvidia.NvidiaReaders;
import dev.berth.server.gpu.nvidia.StandInNvml;
import dev.berth.server.gpu.occupy.GpuGate.Answer;
import dev.berth.server.gpu.process.RunningProcesses;
import dev.berth.server.upkeep.BackgroundWork;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Berth's gate and a program that claims GPUs as safe-gpu does, on the same machine of two GPUs. Both ask its driver, the
 * one by the library, the other by nvidia-smi, and both make contexts that last as long as their processes.
 */
@Timeout(120)
class SafeGpuMeetingTest {
    private static final Path CLAIM = Path.of("src/test/resources/safe-gpu/claim.py");
    private static final Attempt ATTEMPT = new Attempt(new JobId(17), 1);
    private static final Attempt OTHER = new Attempt(new JobId(18), 1);

    @TempDir
    private Path folder;

    private final Semaphore unlocked = new Semaphore(0);
    private StandInNvml machine;
    private Map<String, String> variables;
    private GpuReader reader;
    private Placeholders placeholders;
    private SafeGpuLock lock;
    private CheckedGpuGate gate;

    @BeforeEach
    void open() {
        machine = new StandInNvml(folder, 2);
        variables = StandInCuda.in(folder);
        reader = NvidiaReaders.nvml(machine.library().toString());
        var _ = reader.inventory();
        RunningProcesses processes = RunningProcesses.ofThisMachine();
        placeholders = new Placeholders(
                reader,
                processes,
                _ -> false,
                new PlaceholderProgram(folder.getFileName().toString(), variables),
                InstantSource.system());
        GpuOccupants look = new GpuOccupants(
                reader, processes, _ -> Optional.empty(), List.of(placeholders), InstantSource.system());
        ObstacleCheck obstacles = new ObstacleCheck(look, new ForeignPolicy.AnyProcess(), gpu -> "GPU " + index(gpu));
        lock = SafeGpuLock.in(
                folder,
                processes,
                unlocked::release,
                Duration.ofSeconds(2),
                BackgroundWork.onVirtualThreads(InstantSource.system()));
        gate = new CheckedGpuGate(
                obstacles,
                new ObstacleWatch(obstacles, _ -> {}, () -> true, (_, _) -> {}),
                new MemoryLevels(),
                lock,
                placeholders);
    }

    @AfterEach
    void close() {
        placeholders.retain(Set.of());
        lock.close();
        reader.close();
    }

    private int index(GpuId gpu) {
        return gpu.equals(machine.id(0)) ? 0 : 1;
    }

    private Answer occupy(Attempt attempt, int gpu) {
        return gate.occupy(attempt, List.of(machine.id(gpu)));
    }

    private List<Long> on(int gpu) {
        return reader.processes(machine.id(gpu)).stream().map(GpuProcess::pid).toList();
    }

    /** A program that has begun to claim so many GPUs. */
    private Python claim(Path file, int gpus) {
        Map<String, String> own = new HashMap<>(variables);
        own.put("PATH", folder + ":" + System.getenv("PATH"));
        return Python.program(CLAIM, own, file.toString(), Integer.toString(gpus));
    }

    private Path file(String version) {
        return version.equals("1") ? LockFiles.oldFile(folder) : LockFiles.newFile(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2"})
    void berthWaitsWhileAnotherChoosesAndLeavesItsGpuAlone(String version) throws InterruptedException {
        try (Python claim = claim(file(version), 1)) {
            claim.says("2 GPUs").says("acquiring lock").says("lock acquired");
            assertThat(occupy(ATTEMPT, 0))
                    .isInstanceOfSatisfying(
                            Answer.Locked.class,
                            locked -> assertThat(locked.sentence())
                                    .contains("safe-gpu's lock is held by process " + claim.pid()));
            claim.hears("go on");
            claim.says("has 0");
            assertThat(unlocked.tryAcquire(1, TimeUnit.MINUTES)).isTrue();

            assertThat(occupy(ATTEMPT, 0))
                    .isInstanceOfSatisfying(
                            Answer.Taken.class,
                            taken -> assertThat(taken.sentences().get(machine.id(0)))
                                    .contains("process " + claim.pid())
                                    .contains("is on it with 300 MiB"));
            assertThat(occupy(ATTEMPT, 1)).isEqualTo(new Answer.Occupied());
            claim.letGo();
        }
        assertThat(on(0)).as("its context has gone with it").isEmpty();
        assertThat(occupy(OTHER, 0)).isEqualTo(new Answer.Occupied());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2"})
    void whatBerthHasIsTakenForAnother(String version) {
        Path file = file(version);
        assertThat(occupy(ATTEMPT, 0)).isEqualTo(new Answer.Occupied());
        try (Python claim = claim(file, 1)) {
            claim.says("2 GPUs").says("acquiring lock").says("lock acquired");
            claim.hears("go on");
            claim.says("has 1");
            try (Python late = claim(file, 1)) {
                late.says("2 GPUs").says("acquiring lock").says("lock acquired");
                late.hears("go on");
                late.says("only found these free: []");
            }
        }
        assertThat(on(1)).isEmpty();

        placeholders.end(ATTEMPT);
        try (Python both = claim(file, 2)) {
            both.says("2 GPUs").says("acquiring lock").says("lock acquired");
            both.hears("go on");
            both.says("has 0,1");
        }
    }

    /** Newer drivers do not tell whether a screen is on a GPU. */
    @Test
    void aSingleGpuWithAScreenIsTakenUnlookedAtAsFarAsTheDriverTells() {
        machine.removeGpu(1);
        machine.process(machine.id(0), ProcessHandle.current().pid(), "C+G", "20");
        machine.set(0, "display_mode", "Enabled");
        try (Python claim = claim(file("2"), 1)) {
            claim.says("1 GPUs, with a screen").says("acquiring lock").says("lock acquired");
            claim.hears("go on");
            claim.says("has 0");
        }
        machine.set(0, "display_mode", "Requested functionality has been deprecated");
        try (Python claim = claim(file("2"), 1)) {
            claim.says("1 GPUs").says("acquiring lock").says("lock acquired");
            claim.hears("go on");
            claim.says("only found these free: []");
        }
    }
}
