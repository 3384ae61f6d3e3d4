package dev.berth.server.runner.docker;

import dev.berth.core.machine.Attempt;
import dev.berth.server.runner.EngineException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The verdicts on launches that the engine failed at. The engine's kind of failure decides, and where that is its own
 * fault, whether Berth's own test container starts: never what was said, which bears submitters' words.
 */
final class LaunchFailures {
    /**
     * The number of times that an engine that starts no container is asked for one; with the pauses of {@link
     * EngineRetry}: a minute.
     */
    static final int MAX = 34;

    /** The number of times that an engine is asked that starts Berth's own; with the pauses, under a second. */
    static final int MAX_OWN = 4;

    /**
     * The number of times that an engine is waited for that answers others; each time takes as long as the call may.
     */
    static final int MAX_LATE = 2;

    /**
     * The number of one user's launches given up for being late within {@link #MEMORY} after which the next has one
     * try.
     */
    static final int MAX_LATE_OF_USER = 3;

    static final Duration MEMORY = Duration.ofMinutes(10);

    /** The verdict: what is to be done. */
    enum Verdict {
        /** Ask the engine again, with all that the job holds. */
        AGAIN,
        /** The job fails. */
        REFUSED,
        /** The job lets go of its GPUs and waits until the engine starts containers again. */
        PUT_OFF
    }

    private final ConcurrentMap<Attempt, Integer> failures = new ConcurrentHashMap<>();
    private final ConcurrentMap<Attempt, Integer> late = new ConcurrentHashMap<>();

    /** The times when the latest launches were given up, by user. */
    private final Map<Long, Deque<Instant>> givenUp = new HashMap<>();

    private final StartCheck starts;
    private final InstantSource clock;

    LaunchFailures(StartCheck starts, InstantSource clock) {
        this.starts = starts;
        this.clock = clock;
    }

    /**
     * The verdict that follows from this failure.
     *
     * @param owner whose launch it is: each user has a share of the time that late ones take
     * @param away whether the engine is known not to answer
     */
    Verdict judge(Attempt attempt, long owner, EngineException failure, boolean away) {
        return switch (failure.kind()) {
            case REFUSED, NOT_FOUND -> Verdict.REFUSED;
            case UNREACHABLE, UNABLE, INTERRUPTED, BEGUN -> Verdict.AGAIN;
            case LATE -> away ? Verdict.AGAIN : judgeLate(owner, late.merge(attempt, 1, Integer::sum));
            case FAILING -> away ? Verdict.AGAIN : judge(failures.merge(attempt, 1, Integer::sum));
        };
    }

    private Verdict judgeLate(long owner, int failed) {
        if (failed < MAX_LATE && !isOftenLate(owner)) {
            return Verdict.AGAIN;
        }
        if (starts.engine() instanceof StartCheck.Verdict.Failing) {
            return Verdict.PUT_OFF;
        }
        giveUp(owner);
        return Verdict.REFUSED;
    }

    private synchronized boolean isOftenLate(long owner) {
        Instant oldest = clock.instant().minus(MEMORY);
        givenUp.values().forEach(times -> times.removeIf(at -> at.isBefore(oldest)));
        givenUp.values().removeIf(Deque::isEmpty);
        Deque<Instant> times = givenUp.get(owner);
        return times != null && times.size() >= MAX_LATE_OF_USER;
    }

    private synchronized void giveUp(long owner) {
        Deque<Instant> times = givenUp.computeIfAbsent(owner, _ -> new ArrayDeque<>());
        times.addLast(clock.instant());
        if (times.size() > MAX_LATE_OF_USER) {
            times.removeFirst();
        }
    }

    private Verdict judge(int failed) {
        if (failed == 1) {
            // Most of what passes has passed by the second time.
            starts.doubt();
            return Verdict.AGAIN;
        }
        return switch (starts.engine()) {
            case StartCheck.Verdict.Well _ -> failed >= MAX_OWN ? Verdict.REFUSED : Verdict.AGAIN;
            case StartCheck.Verdict.Failing _ -> failed >= MAX ? Verdict.PUT_OFF : Verdict.AGAIN;
            case StartCheck.Verdict.Unknown _ -> failed >= MAX ? Verdict.REFUSED : Verdict.AGAIN;
        };
    }

    void forget(Attempt attempt) {
        failures.remove(attempt);
        late.remove(attempt);
    }
}
