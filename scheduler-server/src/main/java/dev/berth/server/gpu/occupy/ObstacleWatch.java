package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Input;
import dev.berth.core.machine.Obstacle;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks again at GPUs that could not be had, for as long as something is in the way of a job that waits, and tells
 * the loop when that changes: the driver has no event for it. Safe for any thread.
 */
public final class ObstacleWatch {
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final ObstacleCheck obstructions;
    private final Consumer<Function<Instant, Input>> news;
    private final BooleanSupplier isAwaited;
    private final BiConsumer<Duration, Runnable> later;
    private SortedMap<GpuId, Obstacle> obstacles = new TreeMap<>();
    private @Nullable String lock;
    private Duration pause = FIRST;
    private boolean isRunning;

    /**
     * A watch that looks at nothing yet.
     *
     * @param news takes what keeps GPUs from being allocated: each tells all that is known
     * @param isAwaited whether any job waits
     * @param later does work after a while, on a thread of its own, and again where it fails
     */
    public ObstacleWatch(
            ObstacleCheck obstructions,
            Consumer<Function<Instant, Input>> news,
            BooleanSupplier isAwaited,
            BiConsumer<Duration, Runnable> later) {
        this.obstructions = obstructions;
        this.news = news;
        this.isAwaited = isAwaited;
        this.later = later;
    }

    /** Tells that an attempt cannot have these GPUs, and looks at them from now on. */
    synchronized void refuse(Attempt attempt, SortedMap<GpuId, Obstacle> found, String sentence) {
        obstacles.putAll(found);
        tellRefused(attempt, sentence);
        pause = FIRST;
        if (!isRunning) {
            isRunning = true;
            later.accept(pause, this::look);
        }
    }

    /** Tells that an attempt cannot have its GPUs while another process holds safe-gpu's lock. */
    synchronized void refuseForLock(Attempt attempt, String sentence) {
        lock = sentence;
        tellRefused(attempt, sentence);
    }

    /** safe-gpu's lock can be had. */
    public synchronized void unlocked() {
        if (lock != null) {
            lock = null;
            tellSeen();
        }
    }

    private void tellRefused(Attempt attempt, String sentence) {
        SortedMap<GpuId, Obstacle> all = snapshot();
        String holder = lock;
        news.accept(now -> new Input.GpusRefused(now, attempt, all, holder, sentence));
    }

    private void tellSeen() {
        SortedMap<GpuId, Obstacle> all = snapshot();
        String holder = lock;
        news.accept(now -> new Input.GpusSeen(now, all, holder));
    }

    private SortedMap<GpuId, Obstacle> snapshot() {
        return new TreeMap<>(obstacles);
    }

    private void look() {
        SortedMap<GpuId, Obstacle> now = new TreeMap<>();
        Set<GpuId> watched;
        synchronized (this) {
            watched = Set.copyOf(obstacles.keySet());
        }
        if (isAwaited.getAsBoolean()) {
            for (GpuId gpu : watched) {
                Optional<Obstacle> obstacle = obstructions.on(gpu);
                obstacle.ifPresent(it -> now.put(gpu, it));
            }
        }
        took(watched, now);
        goOn();
    }

    /** Takes what was found, which joins what came into the way meanwhile. */
    private synchronized void took(Set<GpuId> watched, SortedMap<GpuId, Obstacle> found) {
        SortedMap<GpuId, Obstacle> next = snapshot();
        next.keySet().removeIf(gpu -> watched.contains(gpu) && !found.containsKey(gpu));
        next.putAll(found);
        if (!next.equals(obstacles)) {
            boolean anyGone = next.size() < obstacles.size();
            obstacles = next;
            pause = anyGone ? FIRST : pause;
            tellSeen();
        }
    }

    private synchronized void goOn() {
        isRunning = !obstacles.isEmpty();
        if (isRunning) {
            Duration longer = pause.plus(FIRST);
            pause = longer.compareTo(LONGEST) > 0 ? LONGEST : longer;
            later.accept(pause, this::look);
        }
    }
}
