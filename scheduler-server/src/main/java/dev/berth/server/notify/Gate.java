package dev.berth.server.notify;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The way to the database, which is closed before that is: what is in it then is waited for, and nothing more is let in. Safe for
 * any thread.
 */
final class Gate {
    private static final int PLACES = 1 << 16;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Semaphore places = new Semaphore(PLACES);
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

    <T> T pass(Work<T> work) throws InterruptedException {
        places.acquire();
        try {
            if (isClosed) {
                throw new ClosedException();
            }
            return work.run();
        } finally {
            places.release();
        }
    }

    void close() throws InterruptedException {
        isClosed = true;
        boolean _ = places.tryAcquire(PLACES, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }
}
