package dev.berth.server.runner.target;

import dev.berth.core.job.Dependency;
import dev.berth.core.job.DependencyKind;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.core.job.Outcome;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handover.Needed;
import dev.berth.server.runner.target.TargetEngine.Ability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a job that has its turn still waits for at its target: jobs that the engine has, too. */
record HandoverDependencies(TargetParts parts) {
    /** The end of a job one of whose dependencies has ended otherwise than asked for since it was let go on. */
    Optional<Outcome> broken(Job job) {
        return single(job)
                .flatMap(dependency -> end(dependency)
                        .filter(end -> isBrokenBy(end, dependency, job))
                        .map(end -> Dependency.failed(job.number(), List.of(dependency), end.name()))
                        .stream())
                .findFirst();
    }

    private static boolean isBrokenBy(Finished end, Dependency dependency, Job job) {
        // Where it keeps waiting, somebody has released it.
        return !job.spec().prerequisites().keepWaiting() && !dependency.kind().isMetBy(end.name());
    }

    /** Tasks that wait for those of another array have a turn only once these have ended as asked. */
    private static Stream<Dependency> single(Job job) {
        return job.spec().prerequisites().dependencies().stream()
                .filter(dependency -> dependency.kind() != DependencyKind.AFTER_CORR);
    }

    private Optional<Finished> end(Dependency dependency) {
        return parts.jobs()
                .apply(dependency.job())
                .filter(other -> other.state() instanceof Finished)
                .map(other -> (Finished) other.state());
    }

    /**
     * Those that the engine is to wait for.
     *
     * @throws EngineException where it cannot be told to for now
     */
    List<Needed> of(Job job, TargetEngine engine) {
        List<Needed> needed = new ArrayList<>();
        for (Dependency dependency : single(job).toList()) {
            Job other = parts.jobs().apply(dependency.job()).orElse(null);
            if (other == null) {
                continue;
            }
            if (other.state() instanceof Finished end) {
                if (isBrokenBy(end, dependency, job)) {
                    // It has ended since it was looked for: the next try finds the job's end.
                    throw new EngineException(
                            Kind.FAILING, "job " + dependency.number() + ", which it waits for, has just ended");
                }
                continue;
            }
            boolean isThere = other.state() instanceof HandedOver
                    || other.state() instanceof Running
                    || other.state() instanceof Stopping;
            if (!isThere || !engine.abilities().has(Ability.ARRAYS)) {
                throw new EngineException(
                        Kind.FAILING,
                        "job " + dependency.number() + ", which it waits for, is not with the target now");
            }
            needed.add(new Needed(dependency.kind(), parts.handed(other)));
        }
        return needed;
    }
}
