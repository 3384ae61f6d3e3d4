package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPU use of a job: the time of all its attempts, and else what the looks at its last attempt told. Null is what nobody
 * could tell.
 *
 * @param gpuSeconds how long its program ran in all attempts, times the GPUs that it held; a share counts as a part of one
 * @param meanUtilisationPercent of all its GPUs, while somebody looked
 * @param peakMemoryMiB the most that it held of their memory at a look
 * @param idleSeconds for how long none of its GPUs computed
 * @param energyJoules what its GPUs took
 * @param stepSeconds how much time a value of {@code utilisation} stands for
 * @param utilisation percent from its start on, null where nobody could tell; at most 120 values
 */
public record UsageView(
        long gpuSeconds,
        @Nullable Integer meanUtilisationPercent,
        @Nullable Long peakMemoryMiB,
        @Nullable Long idleSeconds,
        @Nullable Long energyJoules,
        long stepSeconds,
        List<@Nullable Integer> utilisation) {}
