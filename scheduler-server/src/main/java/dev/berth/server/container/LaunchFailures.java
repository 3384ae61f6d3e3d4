package dev.berth.server.container;

import dev.berth.core.machine.Attempt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** How often an engine that failed by its own fault is asked for a launch before its word counts. */
final class LaunchFailures {
    /** With the pauses of {@link EngineRetry}: a minute. */
    static final int MAX = 34;

    private final ConcurrentMap<Attempt, Integer> failures = new ConcurrentHashMap<>();

    /** Whether that was the engine's last word about a launch; else it is to be asked again. */
    boolean isFinal(Attempt attempt, EngineException failure, boolean away) {
        return switch (failure.kind()) {
            case REFUSED, NOT_FOUND -> true;
            case UNREACHABLE, UNABLE, INTERRUPTED, BEGUN -> false;
            case FAILING -> !away && failures.merge(attempt, 1, Integer::sum) >= MAX;
        };
    }

    void forget(Attempt attempt) {
        failures.remove(attempt);
    }
}
