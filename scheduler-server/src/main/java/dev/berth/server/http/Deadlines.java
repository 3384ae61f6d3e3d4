package dev.berth.server.http;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Does something where something else takes too long. Nothing runs as long as nothing is waited for. */
final class Deadlines implements AutoCloseable {
    /** A deadline for something that is waited for; closed when that is there. */
    interface Deadline extends AutoCloseable {
        Deadline NONE = () -> {};

        @Override
        void close();
    }

    private final ScheduledThreadPoolExecutor timer;

    Deadlines() {
        timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("http-deadlines").factory());
        timer.setRemoveOnCancelPolicy(true);
    }

    Deadline start(Duration limit, Runnable tooLate) {
        try {
            Future<?> pending = timer.schedule(tooLate, limit.toMillis(), TimeUnit.MILLISECONDS);
            return () -> pending.cancel(false);
        } catch (RejectedExecutionException e) {
            // The server ends, and with it every connection.
            return Deadline.NONE;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
