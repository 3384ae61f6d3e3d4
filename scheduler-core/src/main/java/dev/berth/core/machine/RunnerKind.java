package dev.berth.core.machine;

import dev.berth.core.job.Job;

/** The kinds of what runs jobs. Which one runs a job follows from the job, here and nowhere else. */
public enum RunnerKind {
    /** Starts programs in containers by itself. */
    CONTAINER,
    /** Leases GPUs to programs that their users start on the machine itself. */
    HOST;

    public static RunnerKind of(Job job) {
        return job.spec().isHost() ? HOST : CONTAINER;
    }
}
