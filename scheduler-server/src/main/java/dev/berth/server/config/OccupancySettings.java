package dev.berth.server.config;

import dev.berth.server.gpu.occupy.ForeignPolicy;
import java.time.Duration;

/**
 * Who else may be on the machine's GPUs, and how they come back from jobs.
 *
 * @param safeGpuLock whether they are chosen under safe-gpu's lock
 * @param foreign which processes of others keep one from being given out
 * @param placeholder whether a process keeps a job's place on them
 * @param cleanWithin how long one may take to be clean after a job
 */
public record OccupancySettings(boolean safeGpuLock, ForeignPolicy foreign, boolean placeholder, Duration cleanWithin) {

    static OccupancySettings of(Values values) {
        return new OccupancySettings(
                values.get(Keys.SAFE_GPU_LOCK),
                values.get(Keys.FOREIGN),
                values.get(Keys.PLACEHOLDER),
                values.get(Keys.CLEAN_WITHIN));
    }
}
