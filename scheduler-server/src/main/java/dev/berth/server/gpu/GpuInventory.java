package dev.berth.server.gpu;

import dev.berth.core.place.GpuTopology;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What cards a machine has.
 *
 * @param driver the driver's version, null where unknown
 * @param cuda the newest CUDA that the driver runs, as in "12.8", null where unknown
 * @param cards what can be given out, in NVML's order; MIG devices stand in the place of their card
 * @param warnings what the operator should know of cards that are left out, a sentence each
 */
public record GpuInventory(
        @Nullable String driver,
        @Nullable String cuda,
        List<GpuCard> cards,
        GpuTopology topology,
        List<String> warnings) {
    public GpuInventory {
        cards = List.copyOf(cards);
        warnings = List.copyOf(warnings);
    }
}
