package dev.berth.server.log;

/** Progress of a log that may still grow; written by its writer, read by any thread. */
final class LogProgress {
    private final Signal signal = new Signal();
    private volatile long end = -1;

    Signal signal() {
        return signal;
    }

    /** The offset up to which everything is whole; -1 while no writer has opened the log. */
    long end() {
        return end;
    }

    void reached(long offset) {
        end = offset;
        signal.raise();
    }
}
