package dev.berth.core.machine;

import java.time.Instant;

/** Whether a server starts anything. */
public sealed interface Starts {
    /** Starts are allowed: whatever has its turn is started. */
    record Allowed() implements Starts {}

    /**
     * Somebody wants nothing new started for the time being; what runs goes on. Outlives the server.
     *
     * @param by the login name of who wants that
     */
    record Paused(String by, Instant since) implements Starts {}

    /** The server is on its way out. */
    record Stopping() implements Starts {}
}
