package dev.berth.server.runner.target;

import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that an engine has, or may have.
 *
 * @param name what it is called there, unique to server, job and attempt: {@code berth-<server>-<job>-<attempt>}, of lower-case
 *     letters, digits and hyphens. Tasks that were handed over as one array have one name, of the first of them
 * @param task its number in that array; null where it is not of one
 * @param owner as whom it is to run, and as whom the engine is asked to do anything to it
 * @param since no later than when it may have been handed over
 */
public record Handed(Attempt attempt, String name, @Nullable Integer task, Submitter owner, Instant since) {
    /** Makes an attempt that is alone what it is called. */
    public Handed(Attempt attempt, String name, Submitter owner, Instant since) {
        this(attempt, name, null, owner, since);
    }

    /** What sets it apart from all others: {@code berth-1f-7-1}, or {@code berth-1f-7-1/3} for a task of an array. */
    public String path() {
        return task == null ? name : name + "/" + task;
    }
}
