package dev.berth.server.time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A wait for nothing but time. Where something may end it early, wait for that. */
public final class TimedWait {
    private TimedWait() {}

    /**
     * Waits.
     *
     * @throws InterruptedException where the thread is to end instead
     */
    public static void of(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }

    /** Waits also on a thread that is interrupted meanwhile. */
    public static void whole(Duration time) {
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS))
                .join();
    }
}
