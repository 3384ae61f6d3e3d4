package dev.berth.core.job;

/**
 * A GPU that this server may allocate.
 *
 * @param index what people call it by
 * @param name the model
 * @param memoryMiB total memory in MiB, 0 where unknown
 */
public record Gpu(GpuId id, GpuIndex index, String name, long memoryMiB) {
    /** A physical GPU, not a MIG device of one. */
    public Gpu(GpuId id, int index, String name, long memoryMiB) {
        this(id, GpuIndex.ofPhysical(index), name, memoryMiB);
    }
}
