package dev.berth.core.api;

/** The most that can be asked for of a log. */
public final class LogLimits {
    /** The highest number of an attempt; no job comes near it. */
    public static final int MAX_ATTEMPT = 1_000_000_000;

    /** The most last lines. */
    public static final int MAX_TAIL = 1_000_000;

    private LogLimits() {}
}
