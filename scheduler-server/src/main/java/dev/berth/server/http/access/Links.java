package dev.berth.server.http.access;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.store.Token;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The links that open the page once, within a minute. In memory: a restart of the server ends them. Safe for any thread. */
public final class Links {
    public static final Duration LIFE = Duration.ofMinutes(1);
    public static final int MAX_A_USER = 20;
    static final int MAX = 1_000;

    /**
     * Whom a link opens the page for.
     *
     * @param maker the token that made it, null where the kernel said who its maker is
     */
    public record Link(
            long uid, String user, Scope scope, @Nullable Token maker, Instant end) {
        boolean isAlive(Instant now) {
            return now.isBefore(end);
        }
    }

    private final Map<String, Link> links = new LinkedHashMap<>();
    private final SecureRandom random = new SecureRandom();
    private final InstantSource clock;

    /**
     * None yet.
     *
     * @param clock one that nobody sets
     */
    public Links(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Makes a link.
     *
     * @return its secret, of which only the hash is kept
     * @throws ApiException where there are too many
     */
    public synchronized String make(Caller caller, Optional<Token> maker) {
        Instant now = clock.instant();
        links.values().removeIf(link -> !link.isAlive(now));
        long own = links.values().stream()
                .filter(link -> link.uid() == caller.uid())
                .count();
        if (own >= MAX_A_USER || links.size() >= MAX) {
            throw ApiException.tooMuch(
                    429,
                    "TOO_MANY_LINKS",
                    "there are as many unused links as there may be (" + MAX_A_USER + " of one user, " + MAX
                            + " in all); they end after a minute",
                    LIFE);
        }
        String secret = Secrets.text(random);
        links.put(
                Secrets.hash(secret),
                new Link(caller.uid(), caller.name(), caller.scope(), maker.orElse(null), now.plus(LIFE)));
        return secret;
    }

    /** Uses a link up; empty where there is none of that secret, or its minute is over. */
    public synchronized Optional<Link> take(String secret) {
        return Optional.ofNullable(links.remove(Secrets.hash(secret))).filter(link -> link.isAlive(clock.instant()));
    }
}
