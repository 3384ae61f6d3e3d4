package dev.berth.core.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits after which a job is ended that has not ended by itself.
 *
 * @param time how long the program may run, at most {@link #MAX}, or null for no limit
 * @param idle how long it may leave all its GPUs idle, or null for as long as it likes
 * @param signal what the program is sent before its time limit, which there is then; null for nothing
 * @param grace how long it has from TERM to KILL where a limit ends it, or null for what the server gives
 */
public record Limits(
        @Nullable Duration time,
        @Nullable Duration idle,
        @Nullable LimitSignal signal,
        @Nullable Duration grace) {
    /** Longer than any program runs; keeps the deadline that follows from it far from overflow. */
    public static final Duration MAX = Duration.ofDays(3650);

    /** For what comes between the end of a program and the start of the next. */
    private static final Duration PACK_SLACK = Duration.ofMinutes(1);

    public static final Limits NONE = new Limits(null, null);

    /** Limits without a signal, and with the server's grace. */
    public Limits(@Nullable Duration time, @Nullable Duration idle) {
        this(time, idle, null, null);
    }

    /**
     * The limits of a container in which so many programs run one after the other, each with these limits of its own: it is
     * ended once none of them can run any more.
     */
    Limits ofPack(int turns) {
        Duration own = grace == null ? Duration.ZERO : grace;
        Duration all = time == null ? null : time.plus(own).plus(PACK_SLACK).multipliedBy(turns);
        return new Limits(all == null || all.compareTo(MAX) < 0 ? all : MAX, idle, null, grace);
    }

    public Limits {
        if (time != null && !time.isPositive()) {
            throw new IllegalArgumentException("a time limit is longer than nothing, not " + time);
        }
        if (time != null && time.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("a time limit is at most " + MAX.toDays() + " days, not " + time);
        }
        if (signal != null && (time == null || signal.before().compareTo(time) >= 0)) {
            throw new IllegalArgumentException("a signal comes within the time limit, not " + signal + " in " + time);
        }
        if (grace != null && (!grace.isPositive() || grace.compareTo(MAX) > 0)) {
            throw new IllegalArgumentException("a grace is longer than nothing, not " + grace);
        }
    }
}
