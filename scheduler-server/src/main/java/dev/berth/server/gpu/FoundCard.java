package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import java.util.List;

/**
 * What the driver says a card is.
 *
 * @param index its place in the driver's list
 * @param memoryBytes 0 where it is not told
 * @param pciBusId empty where it is not told
 * @param minor -1 where it is not told
 * @param migOn whether it is divided, perhaps into nothing
 * @param parts the MIG devices that it is divided into
 * @param tellsProcesses whether it can be known who is on it
 */
record FoundCard(
        int index,
        GpuId id,
        String name,
        long memoryBytes,
        String pciBusId,
        int minor,
        GpuCard.ComputeMode computeMode,
        boolean display,
        boolean migOn,
        List<Part> parts,
        boolean tellsProcesses) {
    FoundCard {
        parts = List.copyOf(parts);
    }

    /**
     * A MIG device.
     *
     * @param number its place on the card
     * @param instances its GPU instance and its compute instance, {@code 1/0}; empty where they are not told
     */
    record Part(GpuId id, int number, String instances, String name, long memoryBytes) {}

    /** What of it can be given out. */
    List<GpuId> given() {
        return migOn ? parts.stream().map(Part::id).toList() : List.of(id);
    }

    /** For people. */
    String words() {
        return "GPU " + index + " (" + id + ")";
    }
}
