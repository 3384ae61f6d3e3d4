package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * A line of a job's history, and one server-sent event of its stream.
 *
 * @param sequence the number to resume after
 * @param event what happened
 * @param from the state before, null for the acceptance
 * @param to the state after
 * @param sentence what it says beyond that, or null
 * @param number what people call the job: its id, or {@code 42_7} for a task of an array
 * @param details all that was said where the sentence is short for it; else null
 */
public record JobEventView(
        long sequence,
        long job,
        String at,
        String event,
        @Nullable String from,
        String to,
        int attempt,
        @Nullable String sentence,
        @Nullable String details,
        String number) {
    /** The same line with another sentence. */
    public JobEventView saying(String other, @Nullable String all) {
        return new JobEventView(sequence, job, at, event, from, to, attempt, other, all, number);
    }
}
