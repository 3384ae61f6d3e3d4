package dev.berth.cli;

import dev.berth.cli.client.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The real date and the real time. */
final class SystemTime implements InstantSource, Pause {
    @Override
    public Instant instant() {
        return Instant.now();
    }

    /** For how long something takes: nobody sets it. */
    long nanos() {
        return System.nanoTime();
    }

    @Override
    public void pause(Duration length) {
        try {
            Thread.sleep(length);
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }
}
