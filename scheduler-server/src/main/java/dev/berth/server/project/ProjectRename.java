package dev.berth.server.project;

import dev.berth.core.job.JobId;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.Renaming;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ExecutionException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gives the jobs of a project another one, a few in each commit, so that nothing that is scheduled waits for long. One that breaks
 * off is asked for again, and goes on. Safe for any thread.
 */
public record ProjectRename(Scheduling scheduling, JobQueries queries) {
    /** The rows that one commit changes: a few milliseconds. */
    private static final int JOBS_A_PIECE = 250;

    /** Renames those that are there when it comes to them, from the oldest on. */
    public void rename(long uid, String from, String to) throws InterruptedException, ExecutionException {
        long after = 0;
        SortedMap<JobId, Boolean> piece;
        do {
            piece = queries.jobsOfProject(uid, from, after, JOBS_A_PIECE);
            List<JobId> single = piece.entrySet().stream()
                    .filter(job -> !job.getValue())
                    .map(Map.Entry::getKey)
                    .toList();
            rename(uid, from, to, single, null);
            for (Map.Entry<JobId, Boolean> job : piece.entrySet()) {
                if (job.getValue()) {
                    renameTasks(uid, from, to, job.getKey());
                    // Last of all: by its project those that are left are found where this breaks off.
                    rename(uid, from, to, List.of(job.getKey()), job.getKey());
                }
            }
            after = piece.isEmpty() ? after : piece.lastKey().value();
        } while (piece.size() == JOBS_A_PIECE);
    }

    /** All but the few that become jobs of their own meanwhile, which go with the array. */
    private void renameTasks(long uid, String from, String to, JobId array)
            throws InterruptedException, ExecutionException {
        renameParts(uid, from, to, after -> queries.tasksOfProject(array, from, after, JOBS_A_PIECE));
        renameParts(uid, from, to, after -> queries.packsOfProject(array, from, after, JOBS_A_PIECE));
    }

    private void renameParts(long uid, String from, String to, LongFunction<List<JobId>> behind)
            throws InterruptedException, ExecutionException {
        long after = 0;
        List<JobId> piece;
        do {
            piece = behind.apply(after);
            rename(uid, from, to, piece, null);
            after = piece.isEmpty() ? after : piece.getLast().value();
        } while (piece.size() == JOBS_A_PIECE);
    }

    private void rename(long uid, String from, String to, List<JobId> jobs, @Nullable JobId array)
            throws InterruptedException, ExecutionException {
        if (!jobs.isEmpty()) {
            var _ = scheduling.rename(new Renaming(uid, from, to, jobs, array)).get();
        }
    }
}
