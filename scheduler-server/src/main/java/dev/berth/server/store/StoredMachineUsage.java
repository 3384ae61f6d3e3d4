package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.util.List;

/**
 * The cores and the memory that one attempt of a job used, with which one can go on.
 *
 * @param cpuMillis the processor time of all cores, up to the last look
 * @param ranMillis the time from its start to that look
 * @param peakMemoryMiB the most memory at a look
 * @param curveStep how many seconds a value of the curves stands for
 * @param cpuMilli cores in thousandths of one from the program's start on, {@link #UNKNOWN} where nobody knows
 * @param memoryMiB memory likewise
 */
public record StoredMachineUsage(
        JobId job,
        int attempt,
        long cpuMillis,
        long ranMillis,
        long peakMemoryMiB,
        long curveStep,
        List<Integer> cpuMilli,
        List<Integer> memoryMiB) {
    public static final int UNKNOWN = -1;

    public StoredMachineUsage {
        cpuMilli = List.copyOf(cpuMilli);
        memoryMiB = List.copyOf(memoryMiB);
    }
}
