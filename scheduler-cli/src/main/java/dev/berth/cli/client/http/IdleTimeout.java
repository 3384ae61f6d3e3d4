package dev.berth.cli.client.http;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Closes something on which nothing has moved for a while: a blocking channel knows no time-out of its own. It strikes
 * after one to two times the limit. Safe for use by any thread.
 */
public final class IdleTimeout implements Closeable {
    private final Closeable target;
    private final Duration limit;
    private final AtomicLong moves = new AtomicLong();
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean expired;

    private IdleTimeout(Closeable target, Duration limit) {
        this.target = target;
        this.limit = limit;
    }

    public static IdleTimeout start(Closeable target, Duration limit) {
        IdleTimeout watch = new IdleTimeout(target, limit);
        Thread thread = new Thread(watch::run, "idle-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** Something moved. */
    public void moved() {
        moves.incrementAndGet();
    }

    public boolean isExpired() {
        return expired;
    }

    private void run() {
        try {
            long seen = -1;
            while (!over.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                if (moves.get() == seen) {
                    expired = true;
                    target.close();
                    return;
                }
                seen = moves.get();
            }
        } catch (IOException | InterruptedException stopped) {
            // What cannot be closed is closed already, and nobody interrupts this thread but the JVM's end.
            return;
        }
    }

    @Override
    public void close() {
        over.countDown();
    }
}
