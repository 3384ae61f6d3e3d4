package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.server.runner.EngineOutage;
import java.util.Map;
import java.util.Optional;

/** How jobs stand at their targets, for people. Asks no engine. */
public record TargetStandings(Map<String, TargetLooks> looks) {
    /** No targets. */
    public static final TargetStandings NONE = new TargetStandings(Map.of());

    public TargetStandings {
        looks = Map.copyOf(looks);
    }

    /** The kind of engine that a job's target has. */
    public Optional<String> kind(Job job) {
        return of(job).map(target -> target.engine().abilities().kind());
    }

    /** The engine's words about a job that waits there, or runs, as of the last look. */
    public Optional<String> words(Job job) {
        return of(job).flatMap(target -> target.find(job.id())).flatMap(one -> switch (one.phase) {
            case Phase.Waiting(String _, boolean _, String words) -> Optional.of(words);
            case Phase.Alive(String id, var _, String node) -> Optional.of("job " + id + " on " + node);
            case Phase.Over _, Phase.Unknown _ -> Optional.empty();
            case null -> Optional.empty();
        });
    }

    /** The time since which the engine of a job's target does not answer. */
    public Optional<EngineOutage> outage(Job job) {
        return of(job).flatMap(TargetLooks::outage);
    }

    private Optional<TargetLooks> of(Job job) {
        return Optional.ofNullable(job.spec().target()).map(looks::get);
    }
}
