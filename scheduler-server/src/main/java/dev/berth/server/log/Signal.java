package dev.berth.server.log;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * "Something is new": a counter that readers wait on, so that nobody polls and a slow reader holds nobody back. Safe
 * for any thread.
 */
public final class Signal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition raised = lock.newCondition();
    private long count;

    /** The number of times that it was raised so far; to be read before looking at what it announces. */
    public long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes everybody who waits. */
    public void raise() {
        lock.lock();
        try {
            count++;
            raised.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it was raised more often than {@code seen}; false where that took longer than {@code patience}. */
    public boolean awaitBeyond(long seen, Duration patience) throws InterruptedException {
        lock.lock();
        try {
            long nanos = patience.toNanos();
            while (count <= seen && nanos > 0) {
                nanos = raised.awaitNanos(nanos);
            }
            return count > seen;
        } finally {
            lock.unlock();
        }
    }
}
