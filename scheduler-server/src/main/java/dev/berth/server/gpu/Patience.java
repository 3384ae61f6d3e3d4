package dev.berth.server.gpu;

import java.time.Duration;

/**
 * How long the driver may take to answer.
 *
 * @param start to find the cards: a driver without persistence mode wakes them first, a second or two each
 * @param call for one look at a card that is known
 */
public record Patience(Duration start, Duration call) {
    /** What a driver in order never needs. */
    public static final Patience WITH_LIBRARY = new Patience(Duration.ofSeconds(20), Duration.ofSeconds(2));

    /** A look is a process of its own then, which finds all cards anew. */
    public static final Patience WITH_PROGRAM = new Patience(Duration.ofSeconds(20), Duration.ofSeconds(10));
}
