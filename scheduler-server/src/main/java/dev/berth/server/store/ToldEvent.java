package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job's state of which somebody may want to be told: that it runs, or has ended.
 *
 * @param to what it became; after an end that was not the last one, that it waits
 * @param array the array of which the job is a task, null for a job of its own and for an array
 * @param hasWishes whether its submitter named receivers for it
 * @param isStartUnseen whether its program has run without that having been seen: what tells of its end tells of its start
 */
public record ToldEvent(
        long sequence,
        JobId job,
        @Nullable JobId array,
        int attempt,
        StateName to,
        Instant at,
        long uid,
        boolean hasWishes,
        boolean isStartUnseen) {}
