package dev.berth.server.runner.docker;

import dev.berth.core.machine.Attempt;
import dev.berth.server.runner.EngineException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What becomes of a launch that the engine failed at. The engine's kind of failure decides, and where that is its own
 * fault, whether Berth's own test container starts: never what was said, which bears submitters' words.
 */
final class LaunchFailures {
    /** How often an engine that starts no container is asked for one; with the pauses of {@link EngineRetry}: a minute. */
    static final int MAX = 34;

    /** How often one that starts Berth's own is; with the pauses, under a second. */
    static final int MAX_OWN = 4;

    /** How often one that answers others is waited for; each time takes as long as the call may. */
    static final int MAX_LATE = 2;

    /** What is to be done. */
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
    private final StartCheck starts;

    LaunchFailures(StartCheck starts) {
        this.starts = starts;
    }

    /**
     * What follows from this failure.
     *
     * @param away whether the engine is known not to answer
     */
    Verdict judge(Attempt attempt, EngineException failure, boolean away) {
        return switch (failure.kind()) {
            case REFUSED, NOT_FOUND -> Verdict.REFUSED;
            case UNREACHABLE, UNABLE, INTERRUPTED, BEGUN -> Verdict.AGAIN;
            case LATE -> away ? Verdict.AGAIN : judgeLate(late.merge(attempt, 1, Integer::sum));
            case FAILING -> away ? Verdict.AGAIN : judge(failures.merge(attempt, 1, Integer::sum));
        };
    }

    private Verdict judgeLate(int failed) {
        if (failed < MAX_LATE) {
            return Verdict.AGAIN;
        }
        return starts.engine() instanceof StartCheck.Verdict.Failing ? Verdict.PUT_OFF : Verdict.REFUSED;
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
