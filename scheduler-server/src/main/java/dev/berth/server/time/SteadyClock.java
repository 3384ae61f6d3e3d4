package dev.berth.server.time;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Goes on with the time that passes while the machine is awake, and is never set: Linux's {@code CLOCK_MONOTONIC}, which
 * {@link System#nanoTime} reads there, and which all processes of one start of the machine share (clock_gettime(2)). So
 * what one server counted the next one counts on.
 *
 * @param zero the date at which the machine's clock said 0, as the first server after its start saw it
 */
public record SteadyClock(Instant zero) implements InstantSource {
    /** One that shows this date now. */
    public static SteadyClock showing(Instant now) {
        return new SteadyClock(now.minusNanos(System.nanoTime()));
    }

    @Override
    public Instant instant() {
        return zero.plusNanos(System.nanoTime());
    }
}
