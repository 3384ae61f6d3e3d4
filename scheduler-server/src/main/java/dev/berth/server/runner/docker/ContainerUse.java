package dev.berth.server.runner.docker;

/**
 * What a container used of the machine.
 *
 * @param cpuNanos the processor time of all cores since its start
 * @param memoryBytes the memory that it holds now, without files that the kernel may let go of
 */
public record ContainerUse(long cpuNanos, long memoryBytes) {}
