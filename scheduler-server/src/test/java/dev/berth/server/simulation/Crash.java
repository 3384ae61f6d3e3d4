package dev.berth.server.simulation;

/** The server's process is gone at this point; no handler may hold it up. */
final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
        super("crash", null, false, false);
    }
}
