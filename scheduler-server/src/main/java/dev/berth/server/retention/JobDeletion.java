package dev.berth.server.retention;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogStore;
import dev.berth.server.log.Signal;
import dev.berth.server.loop.Scheduling;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Removes all that is kept of a job that has ended: its files first and its record last, so that a deletion that breaks
 * off leaves a job that can be deleted again, and never files that nobody knows of. Safe for any thread.
 */
public record JobDeletion(Scheduling scheduling, Workspaces workspaces, LogStore logs) {
    /** The time that the last words of a program may still be on their way, and its container being removed. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Deletes a job that has ended.
     *
     * @return what remains, a sentence each; empty where nothing does
     */
    public List<String> delete(Job job) throws InterruptedException {
        JobId id = job.id();
        if (!job.state().name().isFinal()) {
            throw new IllegalArgumentException("job " + id + " has not ended");
        }
        if (!isQuiet(id)) {
            return List.of("its container is still being removed and its last output kept; try again in a moment");
        }
        AtomicBoolean isAwaited = new AtomicBoolean();
        try {
            // Of one that has ended and that nobody waits for, nobody will.
            var _ = scheduling
                    .write(store -> isAwaited.set(store.isAwaited(id)))
                    .get();
            if (isAwaited.get()) {
                return List.of(
                        "all of it, as jobs that wait for it have not been told of its end; try again in a moment");
            }
            workspaces.delete(job);
            var _ = scheduling.write(store -> store.delete(id)).get();
            return List.of();
        } catch (IOException e) {
            return List.of(
                    "files in " + workspaces.of(id) + " or " + workspaces.output(job) + " (" + e.getMessage() + ")");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return List.of("its record: " + Objects.requireNonNullElse(cause.getMessage(), cause.toString()));
        }
    }

    /** Whether nobody writes to the job's files any more. */
    private boolean isQuiet(JobId id) throws InterruptedException {
        Signal signal = logs.signal(id);
        if (signal == null) {
            return true;
        }
        long seen = signal.count();
        while (logs.isExpected(id)) {
            if (!signal.awaitBeyond(seen, PATIENCE)) {
                return !logs.isExpected(id);
            }
            seen = signal.count();
        }
        return true;
    }
}
