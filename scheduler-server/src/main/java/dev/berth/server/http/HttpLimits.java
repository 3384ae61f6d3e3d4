package dev.berth.server.http;

import java.time.Duration;

/**
 * The bounds of what those who come may take.
 *
 * @param connections how many there may be at once, in all
 * @param connectionsPerUser how many of them a user of the machine may have, however they come
 * @param streamsPerUser how many logs and events a user may follow at once
 * @param times how long they may take
 * @param wrongTokenDelay how long the answer to a wrong token waits where there were too many of an address
 * @param stop how long a server that stops waits for answers to come to their ends
 */
public record HttpLimits(
        int connections,
        int connectionsPerUser,
        int streamsPerUser,
        Times times,
        Duration wrongTokenDelay,
        Duration stop) {
    private static final Duration WRONG_TOKEN_DELAY = Duration.ofSeconds(1);

    static final Duration STOP = Duration.ofSeconds(1);

    /** The limits of a server whose operator says nothing. */
    public static final HttpLimits DEFAULT = of(512, 64);

    /**
     * The times that a client may take before its connection is closed.
     *
     * @param first from the connection's beginning to the end of its first request's header
     * @param request from the last answer to the end of the next request's header
     * @param body for a short body
     * @param upload for a directory
     * @param silence within a body, without a byte
     * @param write to take the next piece of an answer
     * @param stream to follow something, before who follows has to come again and show who they are
     */
    public record Times(
            Duration first,
            Duration request,
            Duration body,
            Duration upload,
            Duration silence,
            Duration write,
            Duration stream) {
        static final Times DEFAULT = new Times(
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofHours(6),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                Duration.ofHours(6));
    }

    /** The usual ones with these numbers of connections; a user who follows as much as may be can still ask. */
    public static HttpLimits of(int inAll, int aUser) {
        return new HttpLimits(inAll, aUser, Math.max(1, aUser - aUser / 4), Times.DEFAULT, WRONG_TOKEN_DELAY, STOP);
    }
}
