package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.SubmitKey;
import dev.berth.core.job.Submitter;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What comes into the scheduler, with the time at which it came. */
public sealed interface Input {
    Instant at();

    /** Somebody wants this to run; the key, if there is one, is new. */
    record SubmitJob(
            Instant at,
            JobSpec spec,
            Submitter submitter,
            @Nullable SubmitKey key) implements Input {}

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

    /** Start nothing new for the time being; what runs goes on. */
    record PauseStarts(Instant at, String by) implements Input {}

    /** Start again what has its turn. */
    record ResumeStarts(Instant at, String by) implements Input {}

    /**
     * The engine was out of sight, and has been looked at again.
     *
     * @param running the jobs that ran before anybody looked
     */
    record EngineSeen(Instant at, Set<JobId> running, List<Sighting> sightings) implements Input {}

    /** A container that no job owned has ended, or is gone: whatever it held is free. */
    record OrphanEnded(Instant at, Attempt attempt) implements Input {}

    /** The store holds these queued jobs behind a lane's window. */
    record QueueRead(Instant at, Lane lane, List<Job> behind, boolean more) implements Input {}
}
