package dev.berth.core.machine;

import dev.berth.core.job.GpuId;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rules by which this server's GPUs are allocated.
 *
 * @param shares how many jobs at most share one GPU; 1 where GPUs are not shared
 * @param sharesOf the same for single GPUs
 * @param labels the operator's words for single GPUs
 * @param cleans whether a GPU that a job has left is looked at before the next has it
 * @param maxFailedStarts after so many starts in a row that failed on a GPU it is drained
 */
public record GpuRules(
        int shares,
        SortedMap<GpuId, Integer> sharesOf,
        SortedMap<GpuId, List<String>> labels,
        boolean cleans,
        int maxFailedStarts) {
    /** Whole ones, given on as soon as they are free. */
    public static final GpuRules WHOLE = new GpuRules(1, new TreeMap<>(), new TreeMap<>(), false, 3);

    public GpuRules {
        if (shares < 1 || maxFailedStarts < 1) {
            throw new IllegalArgumentException("shares=" + shares + ", maxFailedStarts=" + maxFailedStarts);
        }
        sharesOf = Collections.unmodifiableSortedMap(new TreeMap<>(sharesOf));
        SortedMap<GpuId, List<String>> copy = new TreeMap<>();
        labels.forEach((gpu, words) -> copy.put(gpu, List.copyOf(words)));
        labels = Collections.unmodifiableSortedMap(copy);
    }

    /** The most jobs that share this one. */
    public int shares(GpuId gpu) {
        return sharesOf.getOrDefault(gpu, shares);
    }

    public List<String> labels(GpuId gpu) {
        return labels.getOrDefault(gpu, List.of());
    }
}
