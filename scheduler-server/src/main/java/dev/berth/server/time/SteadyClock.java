package dev.berth.server.time;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * Goes on with the time that passes while the machine is awake, and is never set: Linux's {@code CLOCK_MONOTONIC}, which
 * {@link System#nanoTime} reads there and which all processes of one start of the machine share (clock_gettime(2)). So
 * what one server counted the next one counts on.
 *
 * @param zero the date at which the machine's clock said 0, as the first server after its start saw it
 * @param nanos what it says now
 */
public record SteadyClock(Instant zero, LongSupplier nanos) implements InstantSource {
    /** A steady clock that shows this date now. */
    public static SteadyClock showing(Instant now, LongSupplier nanos) {
        return new SteadyClock(now.minusNanos(nanos.getAsLong()), nanos);
    }

    @Override
    public Instant instant() {
        return zero.plusNanos(nanos.getAsLong());
    }
}
