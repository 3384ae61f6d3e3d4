package dev.berth.core.job;

import java.time.Instant;

/** A job: what was asked for, by whom, when, and where it stands. */
public record Job(JobId id, JobSpec spec, Submitter owner, Instant submittedAt, JobState state) {
    public Job with(JobState next) {
        return new Job(id, spec, owner, submittedAt, next);
    }
}
