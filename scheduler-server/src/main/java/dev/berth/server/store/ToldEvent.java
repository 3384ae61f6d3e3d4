package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job's state of which somebody may want to be told: that it runs, or has ended.
 *
 * @param array the array of which the job is a task, null for a job of its own and for an array
 * @param hasWishes whether its submitter named receivers for it
 */
public record ToldEvent(
        long sequence,
        JobId job,
        @Nullable JobId array,
        int attempt,
        StateName to,
        Instant at,
        long uid,
        boolean hasWishes) {}
