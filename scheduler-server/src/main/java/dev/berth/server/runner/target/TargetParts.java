package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Program;
import dev.berth.core.machine.Attempt;
import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.Workspaces;
import dev.berth.server.log.LogStore;
import dev.berth.server.runner.Notices;
import dev.berth.server.store.StoredMachineUsage;
import dev.berth.server.time.Clocks;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The parts of a server that handing jobs over takes.
 *
 * @param marks of what may be left at targets
 * @param jobs jobs as they are stored
 * @param programs what they run
 * @param notices hears what becomes of them
 * @param accounts keeps what they used, as their targets told
 */
public record TargetParts(
        HandoverMarks marks,
        Function<JobId, Optional<Job>> jobs,
        Function<JobId, Optional<Program>> programs,
        Workspaces workspaces,
        SnapshotArchive snapshots,
        LogStore logs,
        Notices notices,
        Consumer<StoredMachineUsage> accounts,
        Clocks clock) {

    /** What an engine needs to know of a job's present attempt to find it. */
    Handed handed(Job job) {
        return handed(job, Attempt.of(job));
    }

    /** The same of an attempt that may be an earlier one. */
    Handed handed(Job job, Attempt attempt) {
        HandoverMarks.Mark mark = marks.named(attempt);
        return new Handed(attempt, mark.name(), mark.task(), job.owner(), job.submittedAt());
    }
}
