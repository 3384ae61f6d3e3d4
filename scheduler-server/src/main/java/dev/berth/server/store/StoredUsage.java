package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPU use of one attempt of a job, as sums with which one can go on.
 *
 * @param knownMillis for how long the utilisation was known
 * @param utilisationMillis that time weighted with the percent in it
 * @param peakMemoryMiB of GPU memory, null where nobody told
 * @param idleMillis for how long all its GPUs were idle
 * @param energyMillijoules null where nobody told
 * @param curveStep how many seconds a value of the curve stands for
 * @param curve percent from the program's start on, {@link #UNKNOWN} where nobody knows
 */
public record StoredUsage(
        JobId job,
        int attempt,
        long knownMillis,
        long utilisationMillis,
        @Nullable Long peakMemoryMiB,
        long idleMillis,
        @Nullable Long energyMillijoules,
        long curveStep,
        List<Integer> curve) {
    public static final int UNKNOWN = 255;

    public StoredUsage {
        curve = List.copyOf(curve);
    }
}
