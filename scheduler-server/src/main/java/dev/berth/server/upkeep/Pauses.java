package dev.berth.server.upkeep;

import java.time.Duration;

/** Pauses between tries of work that fails: each is twice as long as the one before, up to the longest. */
public record Pauses(Duration first, Duration longest) {
    /** For what jobs may wait for. */
    public static final Pauses SHORT = new Pauses(Duration.ofMillis(100), Duration.ofSeconds(30));

    /** For what nobody waits for, and what may take a while itself. */
    public static final Pauses LONG = new Pauses(Duration.ofSeconds(10), Duration.ofHours(1));

    private static final int MAX_DOUBLINGS = 30;

    /** The pause after so many failures in a row, at least one. */
    Duration after(int failures) {
        Duration pause = first.multipliedBy(1L << Math.min(failures - 1, MAX_DOUBLINGS));
        return pause.compareTo(longest) > 0 ? longest : pause;
    }
}
