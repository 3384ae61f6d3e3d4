package dev.berth.core.job;

/**
 * A GPU this server may give out.
 *
 * @param index what people call it by
 * @param name the model
 * @param memoryMiB total memory in MiB, 0 where unknown
 */
public record Gpu(GpuId id, GpuIndex index, String name, long memoryMiB) {
    /** A whole card. */
    public Gpu(GpuId id, int card, String name, long memoryMiB) {
        this(id, GpuIndex.ofCard(card), name, memoryMiB);
    }
}
