package dev.berth.server.project;

import dev.berth.core.api.DeletedJob;
import dev.berth.core.job.Job;
import dev.berth.core.job.StateName;
import dev.berth.server.retention.JobDeletion;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import dev.berth.server.store.Rows;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Deletes the jobs of a project that have ended, with all that is kept of them, some at a time. Safe for any thread. */
public record ProjectDeletion(JobDeletion deletion, JobQueries queries, InstantSource steady) {
    /** With their files; what is left is asked for again. */
    private static final int JOBS_A_STEP = 100;

    /** A step that has lasted so long ends with the next job that is gone, and waits for none any more. */
    private static final Duration MAX_STEP = Duration.ofSeconds(10);

    private static final List<StateName> ENDED =
            Stream.of(StateName.values()).filter(StateName::isFinal).toList();

    /**
     * The jobs that a step came to.
     *
     * @param deleted how many are gone
     * @param more whether there are others
     * @param remaining those that could not be deleted
     */
    public record Deleted(long deleted, boolean more, List<DeletedJob> remaining) {
        public Deleted {
            remaining = List.copyOf(remaining);
        }
    }

    /** Deletes the newest of them, or as many as a step takes. */
    public Deleted step(long uid, String project) throws InterruptedException {
        Filter filter = new Filter(uid, ENDED, project, null);
        List<DeletedJob> remaining = new ArrayList<>();
        long deleted = 0;
        long before = Long.MAX_VALUE;
        Instant end = steady.instant().plus(MAX_STEP);
        Rows<Job> piece;
        do {
            piece = queries.newest(filter, before, JOBS_A_STEP);
            for (Job job : piece.items()) {
                Duration left = Duration.between(steady.instant(), end);
                if (left.isNegative() && deleted > 0) {
                    return new Deleted(deleted, true, remaining);
                }
                before = job.id().value();
                List<String> remains = deletion.delete(job, left.isNegative() ? Duration.ZERO : left);
                if (remains.isEmpty()) {
                    deleted++;
                } else {
                    remaining.add(new DeletedJob(before, remains));
                }
            }
        } while (piece.more() && deleted == 0 && remaining.size() < JOBS_A_STEP);
        return new Deleted(deleted, piece.more(), remaining);
    }
}
