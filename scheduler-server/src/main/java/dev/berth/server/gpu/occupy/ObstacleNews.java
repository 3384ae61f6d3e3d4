package dev.berth.server.gpu.occupy;

import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Obstacle;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Hears what keeps GPUs from being given out: the loop. Each call tells all there is, and returns at once. */
public interface ObstacleNews {
    /**
     * GPUs that were given to an attempt cannot be had.
     *
     * @param lock who holds safe-gpu's lock, in a sentence; null where nobody else does
     * @param sentence why, for people
     */
    void refused(Attempt attempt, SortedMap<GpuId, Obstacle> obstacles, @Nullable String lock, String sentence);

    /** What is in the way has changed. */
    void seen(SortedMap<GpuId, Obstacle> obstacles, @Nullable String lock);
}
