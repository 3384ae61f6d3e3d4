package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of the GPUs beside what jobs hold of them.
 *
 * @param drains those out of service until somebody resumes them; kept over a restart
 * @param obstacles those that cannot be had for the time being
 * @param lock who holds the lock under which GPUs are chosen, in a sentence; null where nobody else does
 * @param cleaning what jobs have left and nobody has looked at yet; kept over a restart
 * @param failedStarts how many starts in a row failed on a GPU
 */
public record GpuConditions(
        SortedMap<GpuId, Drain> drains,
        SortedMap<GpuId, Obstacle> obstacles,
        @Nullable String lock,
        SortedMap<Attempt, Allocation> cleaning,
        SortedMap<GpuId, Integer> failedStarts) {
    /** Nothing speaks against any. */
    public static final GpuConditions GOOD =
            new GpuConditions(new TreeMap<>(), new TreeMap<>(), null, new TreeMap<>(), new TreeMap<>());

    public GpuConditions {
        drains = Collections.unmodifiableSortedMap(new TreeMap<>(drains));
        obstacles = Collections.unmodifiableSortedMap(new TreeMap<>(obstacles));
        cleaning = Collections.unmodifiableSortedMap(new TreeMap<>(cleaning));
        failedStarts = Collections.unmodifiableSortedMap(new TreeMap<>(failedStarts));
    }

    /** Whether nothing is in the way of allocating it, no matter who holds it. */
    boolean isOpen(GpuId gpu) {
        return !drains.containsKey(gpu) && !obstacles.containsKey(gpu);
    }

    GpuConditions with(GpuId gpu, @Nullable Drain drain) {
        SortedMap<GpuId, Drain> next = new TreeMap<>(drains);
        SortedMap<GpuId, Integer> failures = new TreeMap<>(failedStarts);
        failures.remove(gpu);
        if (drain == null) {
            next.remove(gpu);
        } else {
            next.put(gpu, drain);
        }
        return new GpuConditions(next, obstacles, lock, cleaning, failures);
    }

    /** The conditions with these obstacles and no others. */
    GpuConditions with(SortedMap<GpuId, Obstacle> others, @Nullable String holder) {
        return new GpuConditions(drains, others, holder, cleaning, failedStarts);
    }

    GpuConditions withCleaning(Attempt attempt, Allocation left) {
        SortedMap<Attempt, Allocation> next = new TreeMap<>(cleaning);
        next.put(attempt, left);
        return new GpuConditions(drains, obstacles, lock, next, failedStarts);
    }

    GpuConditions withoutCleaning(Attempt attempt) {
        SortedMap<Attempt, Allocation> next = new TreeMap<>(cleaning);
        next.remove(attempt);
        return new GpuConditions(drains, obstacles, lock, next, failedStarts);
    }

    /** The conditions after a start on these GPUs, which failed or did not. */
    GpuConditions afterStart(List<GpuId> gpus, boolean failed) {
        SortedMap<GpuId, Integer> next = new TreeMap<>(failedStarts);
        for (GpuId gpu : gpus) {
            if (failed) {
                next.merge(gpu, 1, Integer::sum);
            } else {
                next.remove(gpu);
            }
        }
        return new GpuConditions(drains, obstacles, lock, cleaning, next);
    }
}
