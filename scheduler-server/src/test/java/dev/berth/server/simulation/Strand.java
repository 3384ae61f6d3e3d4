package dev.berth.server.simulation;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Work that can stop in the middle of a call and go on later, as a thread does that the engine lets wait. It has a
 * thread of its own, but only one of world and strand runs at any time: so the same seed is the same run.
 */
final class Strand {
    private final Semaphore go = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private final Runnable work;
    private boolean begun;
    private boolean dead;
    private boolean done;
    private @Nullable Throwable failure;

    Strand(Runnable work) {
        this.work = work;
    }

    /** Runs until the work pauses or ends; throws what it throws. */
    boolean goOn() {
        if (begun) {
            go.release();
        } else {
            begun = true;
            Thread.ofVirtual().start(this::run);
        }
        back.acquireUninterruptibly();
        return ended();
    }

    boolean begun() {
        return begun;
    }

    /** All of it at once, on the caller's thread: nothing stops it in the middle. */
    void runHere() {
        begun = true;
        done = true;
        work.run();
    }

    private boolean ended() {
        return switch (failure) {
            case null -> done;
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new IllegalStateException(failure);
        };
    }

    private void run() {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            done = true;
            back.release();
        }
    }

    /** Called by the work itself: everybody else goes on. */
    void pause() {
        back.release();
        go.acquireUninterruptibly();
        requireAlive();
    }

    /** Work of a process that is gone does nothing any more. */
    void requireAlive() {
        if (dead) {
            throw new Crash();
        }
    }

    /** The process is gone. */
    void kill() {
        if (begun && !done) {
            dead = true;
            go.release();
            back.acquireUninterruptibly();
        }
    }
}
