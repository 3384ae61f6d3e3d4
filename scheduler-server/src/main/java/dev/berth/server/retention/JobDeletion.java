package dev.berth.server.retention;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogStore;
import dev.berth.server.log.Signal;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.database.StoreException;
import dev.berth.server.track.Tracking;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes all that is kept of a job that has ended: its files first and its record last, so that a deletion that breaks
 * off leaves a job that can be deleted again, and never files that nobody knows of. Safe for any thread.
 */
public record JobDeletion(Scheduling scheduling, Workspaces workspaces, LogStore logs, Tracking tracking) {
    private static final Logger LOG = LoggerFactory.getLogger(JobDeletion.class);

    /** The time that the last words of a program may still be on their way, and its container being removed. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The tasks of an array that are deleted at a time. */
    private static final int TASKS_A_PIECE = 200;

    /**
     * Deletes a job that has ended, and with an array all of its tasks, piece by piece.
     *
     * @return what remains, a sentence each; empty where nothing does
     */
    public List<String> delete(Job job) throws InterruptedException {
        return delete(job, PATIENCE);
    }

    /**
     * The same for one who has many to delete.
     *
     * @param patience how long nothing may come of a program's last words until the job is left for later
     */
    public List<String> delete(Job job, Duration patience) throws InterruptedException {
        if (!job.state().name().isFinal()) {
            throw new IllegalArgumentException("job " + job.id() + " has not ended");
        }
        try {
            for (List<Job> tasks = tasks(job); !tasks.isEmpty(); tasks = tasks(job)) {
                List<String> left = delete(tasks, patience);
                if (!left.isEmpty()) {
                    return left;
                }
            }
            return delete(List.of(job), patience);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return List.of("its record: " + Objects.requireNonNullElse(cause.getMessage(), cause.toString()));
        }
    }

    /** Some of the tasks and packs of an array that are there; none of another job. */
    private List<Job> tasks(Job array) throws InterruptedException, ExecutionException {
        AtomicReference<List<Job>> tasks = new AtomicReference<>(List.of());
        if (array.isArray()) {
            var _ = scheduling
                    .write(store -> tasks.set(store.parts(array.id(), TASKS_A_PIECE)))
                    .get();
        }
        return tasks.get();
    }

    private List<String> delete(List<Job> jobs, Duration patience) throws InterruptedException, ExecutionException {
        for (Job job : jobs) {
            // A pack ends a moment after its last task.
            if (!job.state().name().isFinal() || !isQuiet(job.id(), patience)) {
                return List.of("its container is still being removed and its last output kept; try again in a moment");
            }
        }
        List<JobId> ids = jobs.stream().map(Job::id).toList();
        AtomicBoolean isAwaited = new AtomicBoolean();
        // Of one that has ended and that nobody waits for, nobody will.
        var _ = scheduling
                .write(store -> isAwaited.set(ids.stream().anyMatch(store::isAwaited)))
                .get();
        if (isAwaited.get()) {
            return List.of("all of it, as jobs that wait for it have not been told of its end; try again in a moment");
        }
        for (Job job : jobs) {
            try {
                workspaces.delete(job);
            } catch (IOException e) {
                return List.of("files in " + workspaces.of(job.id()) + ", " + workspaces.output(job) + " or "
                        + workspaces.checkpoint(job) + " ("
                        + e.getMessage() + ")");
            }
        }
        var _ = scheduling.write(store -> ids.forEach(store::delete)).get();
        try {
            tracking.delete(ids);
        } catch (StoreException e) {
            // The queue does not need it, and is not held up by what ails it; tracking forgets them when it is opened
            // next.
            LOG.warn("what jobs {} told is not deleted: {}", ids, e.getMessage());
        }
        return List.of();
    }

    /** Whether nobody writes to the job's files any more. */
    private boolean isQuiet(JobId id, Duration patience) throws InterruptedException {
        Signal signal = logs.signal(id);
        if (signal == null) {
            return true;
        }
        long seen = signal.count();
        while (logs.isExpected(id)) {
            if (!signal.awaitBeyond(seen, patience)) {
                return !logs.isExpected(id);
            }
            seen = signal.count();
        }
        return true;
    }
}
