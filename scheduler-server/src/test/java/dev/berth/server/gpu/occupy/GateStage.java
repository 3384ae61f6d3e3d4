package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Input.GpusRefused;
import dev.berth.core.machine.Input.GpusSeen;
import dev.berth.core.machine.Obstacle;
import dev.berth.server.gpu.process.RunningProcess;
import dev.berth.server.gpu.process.RunningProcesses;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedMap;
import java.util.function.Function;

/** Two GPUs, the processes on them, and what the loop hears of it; time passes by hand. */
final class GateStage {
    static final Attempt ATTEMPT = new Attempt(new JobId(17), 1);
    private static final Instant NOW = Instant.parse("2026-01-01T08:00:00.5Z");

    /** What the loop was told last. */
    record Told(Optional<Attempt> refused, SortedMap<GpuId, Obstacle> obstacles, Optional<String> lock) {
        String on(GpuId gpu) {
            Obstacle obstacle = obstacles.get(gpu);
            return obstacle == null ? "" : obstacle.sentence();
        }
    }

    final CsvGpus gpus;
    final RunningProcesses processes = RunningProcesses.ofThisMachine();
    final List<Told> told = new ArrayList<>();
    final Queue<Runnable> later = new ArrayDeque<>();
    final List<Duration> pauses = new ArrayList<>();
    final Map<Long, Attempt> ours = new HashMap<>();
    final MemoryLevels levels = new MemoryLevels();
    Instant now = NOW;
    boolean isAwaited = true;
    Runnable whenRefused = () -> {};

    GateStage(Path folder) {
        this.gpus = new CsvGpus(folder);
    }

    InstantSource clock() {
        return () -> now;
    }

    GpuOccupants look() {
        return new GpuOccupants(gpus, processes, _ -> Optional.empty(), List.of(this::attemptOf), clock());
    }

    private Optional<Attempt> attemptOf(RunningProcess process) {
        return Optional.ofNullable(ours.get(process.pid()));
    }

    ObstacleCheck obstructions(ForeignPolicy policy) {
        return new ObstacleCheck(look(), policy, gpu -> gpu.equals(CsvGpus.FIRST) ? "GPU 0" : "GPU 1");
    }

    ObstacleWatch watch(ObstacleCheck obstructions) {
        return new ObstacleWatch(obstructions, this::hear, () -> isAwaited, this::runLater);
    }

    void runLater(Duration pause, Runnable work) {
        pauses.add(pause);
        later.add(work);
    }

    /** The next of what is to be done later, if anything is. */
    boolean runNext() {
        Runnable next = later.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    Told last() {
        return told.getLast();
    }

    private synchronized void hear(Function<Instant, Input> news) {
        switch (news.apply(now)) {
            case GpusRefused refused -> {
                told.add(new Told(
                        Optional.of(refused.attempt()), refused.obstacles(), Optional.ofNullable(refused.lock())));
                whenRefused.run();
            }
            case GpusSeen seen ->
                told.add(new Told(Optional.empty(), seen.obstacles(), Optional.ofNullable(seen.lock())));
            case Input other -> throw new AssertionError(other);
        }
    }

    /** A process that runs until it is closed. */
    static final class Sleeper implements AutoCloseable {
        final Process process;

        Sleeper() throws IOException {
            process = new ProcessBuilder("sleep", "1000").start();
        }

        long pid() {
            return process.pid();
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
