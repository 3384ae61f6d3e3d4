package dev.berth.core.place;

import dev.berth.core.place.CpuTopology.Cpu;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The free parts of a machine's physical cores, in the order in which they are allocated.
 *
 * @param untouched the cores that nobody is on, the nearest node's first
 * @param touched what is left of cores that jobs are on, the nearest node's first
 */
record FreeCores(List<Core> untouched, List<Core> touched) {

    /**
     * A physical core.
     *
     * @param threads the free ones
     * @param nearness of its node: how often the job's GPUs name a core of it
     * @param isNear whether the job's GPUs name this one
     */
    record Core(int node, List<Cpu> threads, long nearness, boolean isNear) {}

    static FreeCores of(CpuTopology all, Set<Integer> taken, List<Integer> near) {
        Map<Integer, Integer> nodes =
                all.cpus().stream().collect(Collectors.toMap(Cpu::id, Cpu::node, (first, _) -> first));
        Map<Integer, Long> nearness = near.stream()
                .map(nodes::get)
                .filter(Objects::nonNull)
                .collect(Collectors.groupingBy(node -> node, Collectors.counting()));
        Set<Integer> nearby = Set.copyOf(near);
        Map<Boolean, List<Core>> byTouch = all.cpus().stream()
                .collect(Collectors.groupingBy(Cpu::core, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .collect(Collectors.partitioningBy(
                        threads -> threads.stream().anyMatch(cpu -> taken.contains(cpu.id())),
                        Collectors.mapping(threads -> core(threads, taken, nearby, nearness), Collectors.toList())));
        return new FreeCores(
                inOrder(byTouch.getOrDefault(false, List.of())), inOrder(byTouch.getOrDefault(true, List.of())));
    }

    private static Core core(List<Cpu> threads, Set<Integer> taken, Set<Integer> near, Map<Integer, Long> nearness) {
        int node = threads.getFirst().node();
        return new Core(
                node,
                threads.stream().filter(cpu -> !taken.contains(cpu.id())).toList(),
                nearness.getOrDefault(node, 0L),
                threads.stream().anyMatch(cpu -> near.contains(cpu.id())));
    }

    /** Near nodes first, of equally near ones that with the most room, so that few are touched; the sort is stable. */
    private static List<Core> inOrder(List<Core> cores) {
        Map<Integer, Integer> room = room(cores);
        return cores.stream()
                .sorted(Comparator.comparingLong(Core::nearness)
                        .thenComparingInt(core -> room.getOrDefault(core.node(), 0))
                        .reversed()
                        .thenComparingInt(Core::node)
                        .thenComparing(core -> !core.isNear()))
                .toList();
    }

    private static SortedMap<Integer, Integer> room(Collection<Core> cores) {
        return cores.stream()
                .collect(Collectors.groupingBy(
                        Core::node,
                        TreeMap::new,
                        Collectors.summingInt(core -> core.threads().size())));
    }

    int threads() {
        return room(untouched).values().stream().mapToInt(Integer::intValue).sum()
                + room(touched).values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The untouched cores of one node that has enough: the nearest, of equally near ones the one with least to spare. */
    Optional<List<Core>> oneNode(int count) {
        SortedMap<Integer, Integer> room = room(untouched);
        return untouched.stream()
                .filter(core -> room.getOrDefault(core.node(), 0) >= count)
                .min(Comparator.comparingLong(Core::nearness)
                        .reversed()
                        .thenComparingInt(core -> room.getOrDefault(core.node(), 0))
                        .thenComparingInt(Core::node))
                .map(Core::node)
                .map(node ->
                        untouched.stream().filter(core -> core.node() == node).toList());
    }
}
