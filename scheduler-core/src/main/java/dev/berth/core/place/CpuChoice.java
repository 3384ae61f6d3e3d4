package dev.berth.core.place;

import dev.berth.core.place.CpuTopology.Cpu;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The cores that a job gets. Whole physical cores first: the second thread of a core that another job is on is given
 * only when too few untouched cores are left, because two threads of one core slow each other down. Then one NUMA node
 * where that has enough of them, and the node nearest the job's GPUs before others.
 */
public final class CpuChoice {
    private CpuChoice() {}

    /**
     * The cores for a job, in ascending order.
     *
     * @param all what may be allocated
     * @param taken what is allocated, by the kernel's numbers
     * @param count how many are asked for
     * @param near the cores near the job's GPUs, those of each GPU in turn; a node near two of them counts twice
     * @return empty where fewer are free
     */
    public static Optional<List<Integer>> of(CpuTopology all, Set<Integer> taken, int count, List<Integer> near) {
        FreeCores free = FreeCores.of(all, taken, near);
        if (count > free.threads()) {
            return Optional.empty();
        }
        List<Integer> chosen = new ArrayList<>();
        // One node that has enough untouched cores, else the untouched cores of all; whatever is short after those
        // comes from cores that other jobs are on.
        Stream.of(free.oneNode(count).orElseGet(free::untouched), free.touched())
                .flatMap(Collection::stream)
                .flatMap(core -> core.threads().stream())
                .limit(count)
                .forEach(cpu -> chosen.add(cpu.id()));
        chosen.sort(Comparator.naturalOrder());
        return Optional.of(List.copyOf(chosen));
    }

    /** The number of further cores that could be allocated at all. */
    public static int free(CpuTopology all, Set<Integer> taken) {
        return (int) all.cpus().stream()
                .map(Cpu::id)
                .filter(id -> !taken.contains(id))
                .count();
    }
}
