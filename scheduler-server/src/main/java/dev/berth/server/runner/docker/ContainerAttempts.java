package dev.berth.server.runner.docker;

import dev.berth.core.job.Allocation;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.Notices;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The record of attempts' containers that this server keeps beside the engine's, and how their jobs hear of them. Safe
 * for any thread.
 */
final class ContainerAttempts {
    private final Set<Attempt> forbidden = ConcurrentHashMap.newKeySet();

    /** Made by this server, and never asked to start but with a no for an answer: nothing of them can have run yet. */
    private final Set<Attempt> fresh = ConcurrentHashMap.newKeySet();

    /**
     * The events that are told of attempts whose containers Berth removes before it tells; that may take more than one
     * try.
     */
    private final Map<Attempt, JobEvent> owed = new ConcurrentHashMap<>();

    /** Those whose start was lost, and that Berth ends for that. */
    private final Set<Attempt> givenUp = ConcurrentHashMap.newKeySet();

    private final LaunchFailures failures;
    private final ContainerEngine engine;
    private final ContainerParts parts;
    private final Notices notices;
    private final ContainerLogs logs;

    ContainerAttempts(ContainerEngine engine, ContainerParts parts, Notices notices, ContainerLogs logs) {
        this.engine = engine;
        this.parts = parts;
        this.notices = notices;
        this.logs = logs;
        this.failures = new LaunchFailures(parts.starts(), parts.clock().steady());
    }

    /** A launch that is still under way shall not come to its start. */
    void forbid(Attempt attempt) {
        forbidden.add(attempt);
    }

    boolean isForbidden(Attempt attempt) {
        return forbidden.contains(attempt);
    }

    /** Its end by a signal is Berth's own doing from now on. */
    void giveUp(Attempt attempt) {
        givenUp.add(attempt);
    }

    boolean isGivenUp(Attempt attempt) {
        return givenUp.contains(attempt);
    }

    boolean isFresh(Attempt attempt) {
        return fresh.contains(attempt);
    }

    void addFresh(Attempt attempt) {
        fresh.add(attempt);
    }

    void removeFresh(Attempt attempt) {
        fresh.remove(attempt);
    }

    @Nullable
    JobEvent owed(Attempt attempt) {
        return owed.get(attempt);
    }

    void owe(Attempt attempt, JobEvent news) {
        owed.put(attempt, news);
    }

    void forgetFailures(Attempt attempt) {
        failures.forget(attempt);
    }

    void forget(Attempt attempt) {
        forbidden.remove(attempt);
        fresh.remove(attempt);
        owed.remove(attempt);
        givenUp.remove(attempt);
        failures.forget(attempt);
    }

    String name(Attempt attempt) {
        return parts.plans().names().of(attempt);
    }

    void tell(Attempt attempt, JobEvent event) {
        notices.post(attempt.job(), event);
    }

    /**
     * Removes one that has not begun, as far as the engine knows: where it may have been asked to start it, what an
     * engine that was killed has forgotten ends first.
     */
    void discard(Attempt attempt, String name) {
        if (!fresh.contains(attempt)) {
            engine.stop(name, parts.stopGrace());
        }
        engine.remove(name);
    }

    /**
     * The verdict on a failed launch: only the engine's answer to create and start refuses one, once it is its last
     * word.
     */
    LaunchFailures.Verdict verdict(Attempt attempt, long owner, EngineException failure) {
        LaunchFailures.Verdict verdict =
                failures.judge(attempt, owner, failure, engine.outage().isPresent());
        if (verdict == LaunchFailures.Verdict.AGAIN) {
            throw failure;
        }
        return verdict;
    }

    /** The GPUs are still the job's, and nothing of it runs on them: the time to find out whether they are at fault. */
    LaunchRefused refusal(Attempt attempt, Allocation allocation, EngineException failure) {
        return new LaunchRefused(
                attempt.number(),
                "the container could not be started: " + failure.sentence(),
                parts.starts().faults(allocation));
    }

    /** The meaning of a container that is not there any more; where Berth removed it, what it did so for. */
    JobEvent gone(Attempt attempt) {
        JobEvent news = owed.get(attempt);
        return news == null ? new RunGone(attempt.number()) : news;
    }

    void report(Attempt attempt, Condition condition) {
        switch (condition) {
            case Condition.Created _, Condition.FilesLeft _ ->
                throw new IllegalStateException(name(attempt) + " has not run yet, or is gone");
            case Condition.Alive(Instant startedAt) -> {
                logs.listen(attempt, name(attempt), true);
                tell(attempt, new RunStarted(attempt.number(), startedAt));
                logs.begin(attempt);
            }
            case Condition.Exited exited -> tell(attempt, exited.of(attempt.number()));
        }
    }

    void removeAndTell(Attempt attempt, String name, JobEvent news) {
        owed.put(attempt, news);
        engine.remove(name);
        tell(attempt, news);
    }
}
