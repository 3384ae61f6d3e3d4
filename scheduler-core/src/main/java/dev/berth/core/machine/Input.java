package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Submitter;
import java.time.Instant;
import java.util.List;

/** What comes into the scheduler, with the time at which it came. */
public sealed interface Input {
    Instant at();

    /** Somebody wants this to run. */
    record SubmitJob(Instant at, JobSpec spec, Submitter submitter) implements Input {}

    /**
     * Something happened to a job.
     *
     * @param subject the job as it stands: from the machine where it is there, else from the store
     */
    record JobHappening(Instant at, Job subject, JobEvent event) implements Input {}

    /** Time has passed. */
    record TimePassed(Instant at) implements Input {}

    /**
     * Start nothing new, and stop what runs.
     *
     * @param by who asked
     */
    record StopEverything(Instant at, String by) implements Input {}

    /** The store holds these queued jobs behind a lane's window. */
    record QueueRead(Instant at, Lane lane, List<Job> behind, boolean more) implements Input {}
}
