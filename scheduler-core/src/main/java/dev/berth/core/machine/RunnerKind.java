package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.Place;

/** The kinds of what runs jobs. Which one runs a job follows from the job, here and nowhere else. */
public enum RunnerKind {
    /** Starts programs in containers by itself. */
    CONTAINER,
    /** Leases GPUs to programs that their users start on the machine itself. */
    HOST,
    /** Hands jobs over to engines that keep queues of their own. */
    TARGET;

    public static RunnerKind of(Job job) {
        return switch (job.spec().place()) {
            case Place.InContainer _ -> CONTAINER;
            case Place.OnHost _ -> HOST;
            case Place.AtTarget _ -> TARGET;
        };
    }
}
