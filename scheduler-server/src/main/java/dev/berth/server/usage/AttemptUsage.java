package dev.berth.server.usage;

import dev.berth.core.job.Job;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Machine;
import java.time.Duration;
import java.time.Instant;

/** What one attempt uses, summed up look by look, and whether all of it is written. Safe for any thread. */
abstract class AttemptUsage {
    private final Attempt attempt;
    private final Instant startedAt;
    private boolean isUnwritten;

    AttemptUsage(Attempt attempt, Instant startedAt) {
        this.attempt = attempt;
        this.startedAt = startedAt;
    }

    final Attempt attempt() {
        return attempt;
    }

    final Instant startedAt() {
        return startedAt;
    }

    /** The second of its program at that time, from 0. */
    final long second(Instant at) {
        return Math.max(0, Duration.between(startedAt, at).toSeconds());
    }

    /** Whether the attempt is over. */
    final boolean isOver(Machine now) {
        Job job = now.live().get(attempt.job());
        return job == null || job.state().attempt() != attempt.number();
    }

    /** Whether something has come in since this was asked last. */
    final synchronized boolean takeUnwritten() {
        boolean was = isUnwritten;
        isUnwritten = false;
        return was;
    }

    final synchronized void keepUnwritten() {
        isUnwritten = true;
    }
}
