package dev.berth.server.notify;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The use of the database, which ends before that is closed: what uses it then is waited for, and nothing more begins to. Safe for
 * any thread.
 */
final class DatabaseUse {
    private static final int USERS = 1 << 16;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Semaphore free = new Semaphore(USERS);
    private volatile boolean isClosed;

    /** Work at the database. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws InterruptedException;
    }

    /** The server ends, and nothing more is to be done. */
    static final class ClosedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ClosedException() {
            super("the server ends");
        }
    }

    <T> T of(Work<T> work) throws InterruptedException {
        free.acquire();
        try {
            if (isClosed) {
                throw new ClosedException();
            }
            return work.run();
        } finally {
            free.release();
        }
    }

    void close() throws InterruptedException {
        isClosed = true;
        if (free.tryAcquire(USERS, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            // So that who comes later hears that it is closed, and does not wait for ever.
            free.release(USERS);
        }
    }
}
