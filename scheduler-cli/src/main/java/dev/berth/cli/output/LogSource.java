package dev.berth.cli.output;

import dev.berth.core.api.JobView;

/**
 * The job that a log is of.
 *
 * @param number what people call it: its id, or {@code 42_7} for a task of an array
 */
public record LogSource(long id, String number) {
    public static LogSource of(JobView job) {
        return new LogSource(job.id(), job.number());
    }
}
