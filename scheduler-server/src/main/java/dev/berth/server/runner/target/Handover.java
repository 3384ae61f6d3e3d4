package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.Program;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that an engine needs to know of a job to run it.
 *
 * @param job as it stands
 * @param program what it runs, a task's parameters in their places. Its environment is the submitter's
 * @param environment what Berth adds to that environment, and what wins: {@code BERTH_JOB_ID} and the like
 * @param snapshot the directory that the program starts in; null where it has none
 * @param mayBeThere whether the engine may have it already, as a hand-over was begun before and nobody knows how that ended
 */
public record Handover(
        Handed handed,
        Job job,
        Program program,
        Map<String, String> environment,
        @Nullable Snapshot snapshot,
        boolean mayBeThere) {
    public Handover {
        environment = Map.copyOf(environment);
    }

    /** Makes a hand-over of which nothing is known. */
    public Handover(
            Handed handed, Job job, Program program, Map<String, String> environment, @Nullable Snapshot snapshot) {
        this(handed, job, program, environment, snapshot, true);
    }

    public Optional<Snapshot> directory() {
        return Optional.ofNullable(snapshot);
    }
}
