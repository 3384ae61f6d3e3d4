package dev.berth.core.place;

import dev.berth.core.job.GpuId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The links of a machine's GPUs with each other and with its cores.
 *
 * @param links the link of each known pair, by the smaller id and then the larger
 * @param localCpus the cores near a GPU, by the kernel's numbers; a GPU of which that is not known is left out
 */
public record GpuTopology(
        SortedMap<GpuId, SortedMap<GpuId, GpuLink>> links, SortedMap<GpuId, List<Integer>> localCpus) {
    /** Nothing is known. */
    public static final GpuTopology UNKNOWN = new GpuTopology(new TreeMap<>(), new TreeMap<>());

    public GpuTopology {
        SortedMap<GpuId, SortedMap<GpuId, GpuLink>> copy = new TreeMap<>();
        links.forEach((gpu, others) -> copy.put(gpu, Collections.unmodifiableSortedMap(new TreeMap<>(others))));
        links = Collections.unmodifiableSortedMap(copy);
        SortedMap<GpuId, List<Integer>> local = new TreeMap<>();
        localCpus.forEach((gpu, cpus) -> local.put(gpu, List.copyOf(cpus)));
        localCpus = Collections.unmodifiableSortedMap(local);
    }

    /** The link of two GPUs, in whatever order they are named. */
    public GpuLink between(GpuId one, GpuId other) {
        GpuId smaller = one.compareTo(other) < 0 ? one : other;
        GpuId larger = smaller.equals(one) ? other : one;
        return links.getOrDefault(smaller, Collections.unmodifiableSortedMap(new TreeMap<>(Map.of())))
                .getOrDefault(larger, GpuLink.UNKNOWN);
    }
}
