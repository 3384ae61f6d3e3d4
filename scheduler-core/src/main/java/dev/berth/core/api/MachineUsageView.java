package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a job's last attempt used of the machine beside its GPUs, as looks at its program told.
 *
 * @param cpuSeconds the processor time of all its cores, up to the last look
 * @param meanCpuMilli how many cores it used on average, in thousandths of one
 * @param peakMemoryMiB the most memory that it held at a look, without the files that the kernel keeps for it
 * @param stepSeconds how much time a value of the two lists stands for
 * @param cpuMilli cores from its start on, in thousandths of one; null where nobody could tell; at most 120 values
 * @param memoryMiB memory likewise
 */
public record MachineUsageView(
        long cpuSeconds,
        int meanCpuMilli,
        long peakMemoryMiB,
        long stepSeconds,
        List<@Nullable Integer> cpuMilli,
        List<@Nullable Integer> memoryMiB) {}
