package dev.berth.core.job;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits after which a job is ended that has not ended by itself.
 *
 * @param time how long the program may run, at most {@link #MAX}, or null for no limit
 * @param idle how long it may leave all its GPUs idle, or null for as long as it likes
 */
public record Limits(@Nullable Duration time, @Nullable Duration idle) {
    /** Longer than any program runs; keeps the deadline that follows from it far from overflow. */
    public static final Duration MAX = Duration.ofDays(3650);

    public static final Limits NONE = new Limits(null, null);

    public Limits {
        if (time != null && !time.isPositive()) {
            throw new IllegalArgumentException("a time limit is longer than nothing, not " + time);
        }
        if (time != null && time.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("a time limit is at most " + MAX.toDays() + " days, not " + time);
        }
    }
}
