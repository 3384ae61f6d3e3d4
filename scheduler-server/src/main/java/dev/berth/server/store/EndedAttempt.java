package dev.berth.server.store;

import dev.berth.core.job.JobState.Finished;
import java.util.List;

/**
 * An attempt of a job after which it began another.
 *
 * @param gpus those that it held, by UUID
 * @param isRetried whether what began then was one of its retries
 */
public record EndedAttempt(Finished end, List<String> gpus, boolean isRetried) {
    public EndedAttempt {
        gpus = List.copyOf(gpus);
    }
}
