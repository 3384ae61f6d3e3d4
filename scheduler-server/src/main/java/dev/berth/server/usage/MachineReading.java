package dev.berth.server.usage;

/**
 * What a job's program has used of the machine.
 *
 * @param cpuNanos the processor time of all cores since its start
 * @param memoryBytes the memory that it holds now
 */
public record MachineReading(long cpuNanos, long memoryBytes) {}
