package dev.berth.core.place;

import java.util.List;

/**
 * The cores that may be allocated.
 *
 * @param cpus in the kernel's order; empty where cores are not allocated at all
 */
public record CpuTopology(List<Cpu> cpus) {
    /** No core is allocated. */
    public static final CpuTopology NONE = new CpuTopology(List.of());

    public CpuTopology {
        cpus = List.copyOf(cpus);
    }

    /**
     * A logical core.
     *
     * @param id the kernel's number
     * @param core the physical core it is a thread of, one number a core over the whole machine
     * @param node its NUMA node
     */
    public record Cpu(int id, int core, int node) {}
}
