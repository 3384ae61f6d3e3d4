package dev.berth.server.gpu;

import java.time.Duration;

/**
 * How long the driver may take to answer.
 *
 * @param start to find the cards: a driver without persistence mode wakes them first, a second or two each
 * @param call for one look at a card that is known
 * @param job for such a look where a job waits that may have another card
 */
public record Patience(Duration start, Duration call, Duration job) {
    /** What a driver in order never needs. */
    public static final Patience WITH_LIBRARY = new Patience(Duration.ofSeconds(20), Duration.ofSeconds(2));

    /** A look is a process of its own then, which finds all cards anew: tenths of a second in order, seconds at worst. */
    public static final Patience WITH_PROGRAM =
            new Patience(Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofSeconds(2));

    /** No other for a job: a look, and the one before it. */
    public Patience(Duration start, Duration call) {
        this(start, call, call.multipliedBy(2));
    }
}
