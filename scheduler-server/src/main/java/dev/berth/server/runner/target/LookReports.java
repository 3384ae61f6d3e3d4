package dev.berth.server.runner.target;

import dev.berth.core.job.Outcome;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.JobEvent;
import dev.berth.core.machine.JobEvent.HoldSeen;
import dev.berth.core.machine.JobEvent.RunEnded;
import dev.berth.core.machine.JobEvent.RunExited;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.server.store.StoredMachineUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The news that follow from looks at a target, each told once. For one thread at a time.
 *
 * @param target what the target is called
 * @param kind the kind of its engine, for people
 */
record LookReports(String target, String kind, TargetParts parts) {
    /**
     * The time for which an engine may not know a job that it took: it may have been started anew, or answer from a copy that is
     * behind.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int MIB_BITS = 20;

    /** Tells what the last look says of an attempt that nothing else was told of. */
    void report(Followed one) {
        Phase phase = one.phase;
        if (one.isOver || phase == null) {
            return;
        }
        switch (phase) {
            case Phase.Unknown(Outcome outcome) -> unknown(one, outcome);
            case Phase.Waiting waiting -> waiting(one, waiting);
            case Phase.Alive alive -> {
                one.amissSince = null;
                started(one, alive.startedAt());
            }
            case Phase.Over over -> over(one, over);
        }
    }

    /** Whether something is amiss with it for so long that it is no moment of the engine's. */
    private boolean isAmissForLong(Followed one) {
        Instant now = parts.clock().steady().instant();
        Instant since = one.amissSince == null ? now : one.amissSince;
        one.amissSince = since;
        return Duration.between(since, now).compareTo(PATIENCE) >= 0;
    }

    private void unknown(Followed one, @Nullable Outcome outcome) {
        if (one.isStopping) {
            end(one, new RunGone(one.handed.attempt().number()));
        } else if (!isAmissForLong(one) || isNeverStarted(one)) {
            return;
        } else if (outcome != null && !one.isStarted) {
            ended(one, outcome);
        } else {
            lost(
                    one,
                    OutcomeReason.TARGET_LOST,
                    "target " + target + " (" + kind
                            + ") does not know it any more, and nobody saw it end: somebody may have removed it there");
        }
    }

    /** What waits for another in vain, an engine may have forgotten when it is asked again; then its end is told here. */
    private boolean isNeverStarted(Followed one) {
        Optional<Outcome> broken = one.isStarted ? Optional.empty() : new HandoverDependencies(parts).broken(one.job);
        broken.ifPresent(outcome -> ended(one, outcome));
        return broken.isPresent();
    }

    /** A program that has run is not started once more by an engine's own wish. */
    private void waiting(Followed one, Phase.Waiting waiting) {
        if (one.isStarted) {
            if (!one.isStopping && isAmissForLong(one)) {
                one.isTakenBack = true;
                lost(
                        one,
                        OutcomeReason.PREEMPTED,
                        "target " + target + " (" + kind + ") took it back into its queue while it ran ("
                                + waiting.words() + ")");
            }
            return;
        }
        one.amissSince = null;
        if (one.isHeldOtherwise(waiting.isHeld())) {
            one.isHeld = waiting.isHeld();
            tell(one, new HoldSeen(one.handed.attempt().number(), waiting.isHeld()));
        }
    }

    private void lost(Followed one, OutcomeReason reason, String sentence) {
        ended(one, new Outcome(StateName.LOST, reason, sentence, null));
    }

    private void ended(Followed one, Outcome outcome) {
        end(
                one,
                new RunEnded(
                        one.handed.attempt().number(),
                        outcome,
                        null,
                        parts.clock().instant()));
    }

    private void started(Followed one, Instant startedAt) {
        if (!one.isStarted) {
            one.isStarted = true;
            tell(one, new RunStarted(one.handed.attempt().number(), startedAt));
        }
    }

    private void over(Followed one, Phase.Over over) {
        Attempt attempt = one.handed.attempt();
        if (over.startedAt() != null) {
            started(one, over.startedAt());
        }
        account(one, over);
        end(
                one,
                switch (over.end()) {
                    case Phase.End.Exited(int exitCode, boolean outOfMemory) ->
                        new RunExited(attempt.number(), exitCode, outOfMemory, over.startedAt(), over.endedAt());
                    case Phase.End.ByEngine(Outcome outcome) ->
                        new RunEnded(attempt.number(), outcome, over.startedAt(), over.endedAt());
                    case Phase.End.NoImage end ->
                        new RunEnded(attempt.number(), unavailable(one, end), over.startedAt(), over.endedAt());
                });
    }

    private static Outcome unavailable(Followed one, Phase.End.NoImage end) {
        String sentence = end.sentence(one.job.spec().image());
        return new Outcome(StateName.FAILED, OutcomeReason.IMAGE_UNAVAILABLE, sentence, null);
    }

    private void account(Followed one, Phase.Over over) {
        if (over.used() != null) {
            account(one, over, over.used());
        }
    }

    /** Keeps what it used. */
    void account(Followed one, Phase.Over over, Phase.Used used) {
        Instant startedAt = over.startedAt();
        if (startedAt != null) {
            long ran = Math.max(0, Duration.between(startedAt, over.endedAt()).toMillis());
            parts.accounts()
                    .accept(new StoredMachineUsage(
                            one.job.id(),
                            one.handed.attempt().number(),
                            used.cpuTime().toMillis(),
                            ran,
                            used.maxMemoryBytes() >> MIB_BITS,
                            Math.max(1, ran / 1_000),
                            List.of(),
                            List.of()));
        }
    }

    private void end(Followed one, JobEvent news) {
        one.isOver = true;
        tell(one, news);
    }

    private void tell(Followed one, JobEvent news) {
        parts.notices().post(one.job.id(), news);
    }
}
