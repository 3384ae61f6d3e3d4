package dev.berth.server.gpu;

import dev.berth.core.place.GpuTopology;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPUs that a machine has.
 *
 * @param driver the driver's version, null where unknown
 * @param cuda the newest CUDA that the driver runs, as in "12.8", null where unknown
 * @param devices what can be allocated, in NVML's order; MIG devices stand in the place of their GPU
 * @param warnings what the operator should know of GPUs that are left out, a sentence each
 */
public record GpuInventory(
        @Nullable String driver,
        @Nullable String cuda,
        List<GpuDevice> devices,
        GpuTopology topology,
        List<String> warnings) {
    public GpuInventory {
        devices = List.copyOf(devices);
        warnings = List.copyOf(warnings);
    }
}
