package dev.berth.server.cpu;

import dev.berth.core.place.CpuTopology;
import java.util.List;

/**
 * The CPUs and memory that jobs can be promised.
 *
 * @param cpus the cores; none where they are not allocated one by one
 * @param memoryBytes memory, 0 where nothing tells
 * @param warnings what the operator should know of what is left out, a sentence each
 */
public record CpuInventory(CpuTopology cpus, long memoryBytes, List<String> warnings) {
    public CpuInventory {
        warnings = List.copyOf(warnings);
    }
}
