package dev.berth.core.job;

/**
 * A GPU this server may give out.
 *
 * @param index its place in NVML's order, for people only
 * @param name the model
 * @param memoryMiB total memory in MiB, 0 where unknown
 */
public record Gpu(GpuId id, int index, String name, long memoryMiB) {}
