package dev.berth.core.machine;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.Program;
import dev.berth.core.job.SubmitKey;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change to be written down. */
public sealed interface Change {
    Instant at();

    /** A change of one job. */
    sealed interface OfJob extends Change {
        Job job();
    }

    /**
     * A job was accepted.
     *
     * @param program what it runs, for the store alone
     * @param key by which a retry finds it, or null
     */
    record Accepted(
            Instant at, Job job, Program program, @Nullable SubmitKey key) implements OfJob {}

    /**
     * A task of an array became a job of its own.
     *
     * @param before the array that had it among those that wait
     * @param array the same without it
     */
    record Singled(Instant at, Job before, Job array, Job job) implements OfJob {}

    /**
     * Tasks of an array became a pack, a job, and jobs in that.
     *
     * @param before the array that had them among those that wait
     * @param array the same without them
     * @param job the pack
     * @param tasks those in it
     */
    record Packed(Instant at, Job before, Job array, Job job, List<Job> tasks) implements OfJob {
        public Packed {
            tasks = List.copyOf(tasks);
        }
    }

    /**
     * A job went from one state to the next.
     *
     * @param attempt how the attempt ended after which it begins another; null where it does not
     */
    record Advanced(
            Instant at,
            Job before,
            Job job,
            JobEvent event,
            @Nullable Finished attempt) implements OfJob {
        /** Makes the change of a job that begins no attempt after a failed one. */
        public Advanced(Instant at, Job before, Job job, JobEvent event) {
            this(at, before, job, event, null);
        }

        /** The sentence that people should know beside the event's name; null for most. */
        public @Nullable String sentence() {
            if (attempt == null) {
                return event.sentence();
            }
            String end = attempt.outcome().state() + ": " + attempt.outcome().sentence();
            return end + "; " + (isRetry() ? job.retryInWords() : "queued again");
        }

        /** Whether the attempt that begins is one of the job's retries. */
        public boolean isRetry() {
            return job.retried() > before.retried();
        }
    }

    /** All who waited for a job and for nothing else were told of its end; the others wait for one less. */
    record DependenciesMet(Instant at, JobId other) implements Change {}

    /** The GPUs of an attempt were looked at, and are its own: its job goes back for them no more. */
    record AllocationDecided(Instant at, Attempt attempt) implements Change {}

    /** Nothing new is started from now on, or starts are allowed again. */
    record StartsChanged(Instant at, Starts starts) implements Change {}

    /** A GPU was taken out of service, or its reason was changed. */
    record GpuDrained(Instant at, GpuId gpu, Drain drain) implements Change {}

    /** A GPU is in service again. */
    record GpuResumed(Instant at, GpuId gpu, String by) implements Change {}

    /** An attempt has left GPUs that nobody has looked at yet. */
    record CleaningBegun(Instant at, Attempt attempt, Allocation left) implements Change {}

    /** The GPUs that an attempt left were looked at. */
    record CleaningEnded(Instant at, Attempt attempt) implements Change {}
}
