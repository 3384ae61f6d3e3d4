package dev.berth.core.machine;

import dev.berth.core.job.Job;
import java.time.Instant;

/** One thing to be written down. */
public sealed interface Change {
    Instant at();

    Job job();

    /** A job was accepted. */
    record Accepted(Instant at, Job job) implements Change {}

    /** A job went from one state to the next. */
    record Advanced(Instant at, Job before, Job job, JobEvent event) implements Change {}
}
