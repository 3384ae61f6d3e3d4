package dev.berth.server.gpu.nvidia;

import java.time.Duration;

/**
 * The times that the driver may take to answer.
 *
 * @param start to find the GPUs: a driver without persistence mode wakes them first, a second or two each
 * @param call for one look at a GPU that is known
 * @param job for such a look where a job waits that may have another GPU
 */
public record DriverTimeouts(Duration start, Duration call, Duration job) {
    /** Timeouts that a driver in order never needs. */
    public static final DriverTimeouts WITH_LIBRARY = new DriverTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(2));

    /** A look is a process of its own then, which finds all GPUs anew: tenths of a second in order, seconds at worst. */
    public static final DriverTimeouts WITH_PROGRAM =
            new DriverTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofSeconds(2));

    /** No other for a job: a look, and the one before it. */
    public DriverTimeouts(Duration start, Duration call) {
        this(start, call, call.multipliedBy(2));
    }
}
