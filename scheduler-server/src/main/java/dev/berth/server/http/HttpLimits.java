package dev.berth.server.http;

import java.time.Duration;

/**
 * The bounds of what those who come may take.
 *
 * @param connections how many there may be at once, in all
 * @param connectionsPerUser how many of them a user of the machine, or an address of the network, may have
 * @param streamsPerUser how many logs and events a user may follow at once
 * @param times how long they may take
 */
public record HttpLimits(int connections, int connectionsPerUser, int streamsPerUser, Times times) {
    /** What a server has where its operator says nothing. */
    public static final HttpLimits DEFAULT = new HttpLimits(1_000, 250, 200, Times.DEFAULT);

    /**
     * How long a client may take before its connection is closed.
     *
     * @param request from the connection's beginning, or the last answer, to the end of a request's header
     * @param body for a short body
     * @param upload for a directory
     * @param silence within a body, without a byte
     * @param write to take the next piece of an answer
     */
    public record Times(Duration request, Duration body, Duration upload, Duration silence, Duration write) {
        static final Times DEFAULT = new Times(
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofHours(6),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60));
    }

    /** The same with other numbers of connections. */
    public HttpLimits withConnections(int inAll, int aUser) {
        return new HttpLimits(inAll, aUser, streamsPerUser, times);
    }
}
