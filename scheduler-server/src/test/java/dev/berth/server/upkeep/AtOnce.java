package dev.berth.server.upkeep;

import java.time.Duration;

/** Work that is done at once, on the thread that gives it, and once. */
public final class AtOnce implements Tasks {
    @Override
    public void run(Runnable work) {
        work.run();
    }

    @Override
    public void runAfter(Duration delay, Runnable work) {
        throw new AssertionError("nothing here is done twice");
    }
}
