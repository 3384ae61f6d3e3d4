package dev.berth.server.runner.target;

import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.Program;
import dev.berth.core.parameter.TaskParameters;
import java.util.List;
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
 * @param needed what the engine has of this server that it is to wait for
 * @param mayBeThere whether the engine may have it already, as a hand-over was begun before and nobody knows how that ended
 */
public record Handover(
        Handed handed,
        Job job,
        Program program,
        Map<String, String> environment,
        @Nullable Snapshot snapshot,
        List<Needed> needed,
        boolean mayBeThere) {
    public Handover {
        environment = Map.copyOf(environment);
        needed = List.copyOf(needed);
    }

    /** Makes the hand-over of a job that waits for no other, and of which nothing else is known. */
    public Handover(
            Handed handed, Job job, Program program, Map<String, String> environment, @Nullable Snapshot snapshot) {
        this(handed, job, program, environment, snapshot, List.of(), true);
    }

    /** Another job that the engine has, and how it has to end before. */
    public record Needed(DependencyKind kind, Handed other) {}

    public Optional<Snapshot> directory() {
        return Optional.ofNullable(snapshot);
    }

    /** The parameters of a task of a sweep as a JSON object, for {@code $BERTH_PARAMS}; empty where it has none. */
    public Optional<String> parameters() {
        return Optional.ofNullable(program.of(job)).map(TaskParameters::json);
    }
}
