package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Obstacle;
import dev.berth.server.gpu.lock.SafeGpuLock;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gate of GPUs that others may use too: under safe-gpu's lock it looks who is on them, and has a process keep their
 * places where that is wished. Safe for any thread.
 */
public final class CheckedGpuGate implements GpuGate {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedGpuGate.class);

    /**
     * The patience with the lock: a process that only looks has it for less than that; it spares the job a way through
     * the queue.
     */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private final ObstacleCheck obstacles;
    private final ObstacleWatch watch;
    private final MemoryLevels levels;
    private final @Nullable SafeGpuLock lock;
    private final @Nullable Placeholders placeholders;

    /**
     * A gate.
     *
     * @param lock null where it is not to be taken
     * @param placeholders null where none is wished
     */
    public CheckedGpuGate(
            ObstacleCheck obstacles,
            ObstacleWatch watch,
            MemoryLevels levels,
            @Nullable SafeGpuLock lock,
            @Nullable Placeholders placeholders) {
        this.obstacles = obstacles;
        this.watch = watch;
        this.levels = levels;
        this.lock = lock;
        this.placeholders = placeholders;
    }

    @Override
    public Answer occupy(Attempt attempt, List<GpuId> gpus) {
        if (gpus.isEmpty()) {
            return new Answer.Occupied();
        }
        if (lock == null) {
            return look(attempt, gpus);
        }
        return switch (lock.tryTake(PATIENCE)) {
            case SafeGpuLock.Answer.Busy(String sentence) -> locked(attempt, lock, sentence);
            case SafeGpuLock.Answer.Failed(String sentence) -> locked(attempt, lock, sentence);
            case SafeGpuLock.Answer.Taken(SafeGpuLock.Hold hold) -> {
                try (hold) {
                    yield look(attempt, gpus);
                }
            }
        };
    }

    private Answer locked(Attempt attempt, SafeGpuLock asked, String sentence) {
        LOG.info("job={} waits for its GPUs: {}", attempt.job(), sentence);
        endPlaceholder(attempt);
        watch.refuseForLock(attempt, sentence);
        if (!asked.isWaitedFor()) {
            // It was had since, and that was told before anybody knew of the refusal.
            watch.unlocked();
        }
        return new Answer.Locked(sentence);
    }

    @Override
    public void made(Attempt attempt, String name, String containerId) {
        obstacles.look().learn(containerId, new ContainerOwners.Owner(name, attempt));
    }

    /** Ends the placeholder of an earlier try, which had got that far. */
    private void endPlaceholder(Attempt attempt) {
        if (placeholders != null) {
            placeholders.end(attempt);
        }
    }

    private Answer look(Attempt attempt, List<GpuId> gpus) {
        SortedMap<GpuId, Obstacle> found = new TreeMap<>();
        ParallelLook.of(gpus, obstacles::find).forEach((gpu, finding) -> {
            levels.note(gpu, finding.memoryUsedBytes());
            if (finding.obstacle() != null) {
                found.put(gpu, finding.obstacle());
            }
        });
        if (found.isEmpty()) {
            if (placeholders != null) {
                placeholders.start(attempt, gpus);
            }
            return new Answer.Occupied();
        }
        SortedMap<GpuId, String> sentences = new TreeMap<>();
        found.forEach((gpu, obstacle) -> sentences.put(gpu, obstacles.name(gpu) + ": " + obstacle.sentence()));
        String sentence = sentences.values().stream().collect(Collectors.joining("; "));
        LOG.info("job={} cannot have what it was given: {}", attempt.job(), sentence);
        endPlaceholder(attempt);
        watch.refuse(attempt, found, sentence);
        return new Answer.Taken(sentences);
    }
}
