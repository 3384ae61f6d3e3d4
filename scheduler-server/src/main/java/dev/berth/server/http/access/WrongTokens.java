package dev.berth.server.http.access;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.time.TimedWait;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Wrong tokens of late, counted for each address. Right tokens are never held up, so that nobody can lock
 * another user out who comes from the same address. Safe for any thread.
 */
public final class WrongTokens {
    public static final int FREE = 10;
    static final Duration WINDOW = Duration.ofMinutes(1);
    /** The key of all clients on this machine. */
    public static final String LOCAL = "local";

    private static final int UNAUTHORIZED = 401;
    private static final int MAX_ADDRESSES = 4_096;
    private static final int NETWORK_BYTES = 8;

    private record Count(Instant since, int wrong) {}

    private final Map<String, Count> counts = new LinkedHashMap<>();
    private final InstantSource clock;
    private final Duration delay;

    /**
     * No wrong tokens yet.
     *
     * @param clock whose dates only go on
     * @param delay how long the answer waits where there were too many
     */
    public WrongTokens(InstantSource clock, Duration delay) {
        this.clock = clock;
        this.delay = delay;
    }

    /**
     * Counts a wrong token, or what takes a token's place.
     *
     * @return the refusal of it, or after a pause that of too many
     */
    ApiException counted(ApiException refusal, InetAddress from) throws InterruptedException {
        if (refusal.status() != UNAUTHORIZED || !isTooMany(from)) {
            return refusal;
        }
        TimedWait.of(delay);
        return ApiException.tooMuch(
                429,
                "TOO_MANY_TOKENS",
                "too many wrong tokens from this address; correct the token (BERTH_TOKEN), and try again in a minute",
                WINDOW);
    }

    /** Counts a wrong token; true where there were too many, and the answer should wait. */
    synchronized boolean isTooMany(InetAddress from) {
        Instant now = clock.instant();
        String key = key(from);
        Count last = counts.remove(key);
        Count next = last == null || !last.since().plus(WINDOW).isAfter(now)
                ? new Count(now, 1)
                : new Count(last.since(), last.wrong() + 1);
        counts.put(key, next);
        if (counts.size() > MAX_ADDRESSES) {
            counts.remove(counts.keySet().iterator().next());
        }
        return next.wrong() > FREE;
    }

    /**
     * The machine's loopback addresses are one: every user of it has them all (127.0.0.0/8). Of IPv6 the network, for
     * the same reason.
     */
    public static String key(InetAddress from) {
        if (from.isLoopbackAddress()) {
            return LOCAL;
        }
        byte[] bytes = from.getAddress();
        return HexFormat.of().formatHex(from instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
    }
}
