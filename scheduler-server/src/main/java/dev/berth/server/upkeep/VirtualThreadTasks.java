package dev.berth.server.upkeep;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A virtual thread for each piece of work. */
public final class VirtualThreadTasks implements Tasks {
    @Override
    public void run(Runnable work) {
        Thread.startVirtualThread(work);
    }

    @Override
    public void runAfter(Duration delay, Runnable work) {
        CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread)
                .execute(work);
    }
}
