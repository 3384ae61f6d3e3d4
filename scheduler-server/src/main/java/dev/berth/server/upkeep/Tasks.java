package dev.berth.server.upkeep;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The place where work that blocks is done: on virtual threads, or in a simulation one after the other in virtual time.
 */
public interface Tasks {
    /** Does the work soon, on a thread of its own. */
    void run(Runnable work);

    /** Does the work after a while. */
    void runAfter(Duration delay, Runnable work);

    /** Waits for news inside such work, but not longer than that; whether it is there. */
    default boolean await(CompletableFuture<?> news, Duration patience) throws InterruptedException {
        try {
            Object _ = news.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException | ExecutionException e) {
            return false;
        }
    }
}
