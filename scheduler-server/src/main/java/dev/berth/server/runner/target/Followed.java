package dev.berth.server.runner.target;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.job.JobState.Stopping;
import dev.berth.server.log.JobLog;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that a target's engine has, and what was told of it. Its fields are those of the one look that goes on, but for
 * what others ask, which may be read by any thread.
 */
final class Followed {
    /** Held by the one who takes output of it: a look, or its release. */
    final ReentrantLock output = new ReentrantLock();

    final Job job;
    final Handed handed;

    /** Opens its log at its end. */
    private final Supplier<JobLog> opening;

    private @Nullable JobLog log;

    /** What the engine said the last time; null before the first. */
    volatile @Nullable Phase phase;

    /** Whether it is to end, so that an engine that does not know it has nothing more to tell. */
    volatile boolean isStopping;

    /** How many wishes to set it aside, or to let it go on, are on their way to the engine. */
    final AtomicInteger holdsOwed;

    /** How many have come there. */
    final AtomicInteger holdsDone = new AtomicInteger();

    /** How many had when the last look began, which knows nothing of later ones. */
    int holdsBefore;

    volatile boolean isHeld;

    /** Whether its log is another's to complete; guarded by {@link #output}. */
    boolean isReleased;

    /** Whether all that it wrote is in its log; guarded by {@link #output}. */
    boolean isAllTaken;

    /** The bytes of its metrics that were read and not kept, as their file is the next attempt's; guarded by {@link #output}. */
    long passedOver;

    boolean isStarted;
    boolean isOver;

    /** Whether the engine wants to start it once more, which it must not. */
    boolean isTakenBack;

    /** Since when the engine does not know it, or has it in its queue again; null while all is well. */
    @Nullable
    Instant amissSince;

    Followed(Job job, Handed handed, Supplier<JobLog> opening) {
        JobState state = job.state();
        this.job = job;
        this.handed = handed;
        this.opening = opening;
        this.isHeld = state instanceof HandedOver over && over.isHeld();
        // A server that begins sets aside again what is held (Recovery).
        this.holdsOwed = new AtomicInteger(isHeld ? 1 : 0);
        this.isStarted =
                state instanceof Running || (state instanceof Stopping stopping && stopping.startedAt() != null);
        this.isStopping = state instanceof Stopping;
    }

    /** Its log, open from the first output on: those that wait in a queue keep no file open. */
    synchronized JobLog log() {
        if (log == null) {
            log = opening.get();
        }
        return log;
    }

    /** Notes what the engine was brought to do; what it said before is over. One thread at a time. */
    void noteHold(boolean isHeldNow) {
        // Before isHeld, so that a look which sees the new value also sees that it is too old.
        int _ = holdsDone.incrementAndGet();
        isHeld = isHeldNow;
        phase = null;
        int _ = holdsOwed.updateAndGet(owed -> Math.max(0, owed - 1));
    }

    /** Whether somebody else set it aside at the engine, or let it go on, as the last look says. */
    boolean isHeldOtherwise(boolean isHeldThere) {
        return holdsOwed.get() == 0 && isHeld != isHeldThere && holdsBefore == holdsDone.get();
    }

    /** Closes its log, which is opened again where more comes. */
    synchronized void closeLog() {
        if (log != null) {
            log.close();
            log = null;
        }
    }
}
