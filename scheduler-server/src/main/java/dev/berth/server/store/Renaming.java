package dev.berth.server.store;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Another project for some jobs of a user that are in one, in one commit.
 *
 * @param uid the user
 * @param jobs a few; those that are in another project by then stay there
 * @param array one of these, all of whose tasks and packs go with it; null for none
 */
public record Renaming(
        long uid,
        String from,
        String to,
        List<JobId> jobs,
        @Nullable JobId array) {
    public Renaming {
        jobs = List.copyOf(jobs);
    }

    /** Whether a job goes to the other project. */
    public boolean moves(Job job) {
        return job.owner().uid() == uid
                && job.spec().project().equals(from)
                && (jobs.contains(job.id()) || (array != null && array.equals(job.arrayOfTurn())));
    }
}
