package dev.berth.server.http;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.Caller.Scope;
import dev.berth.server.linux.Users;
import dev.berth.server.time.TimedWait;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds out who sends a request, and refuses who must not: at the Unix socket the kernel says who it is, over TCP a
 * token does.
 */
final class Entrance {
    private static final String AUTHORIZATION = "Authorization";
    private static final int UNAUTHORIZED = 401;
    private static final Duration DELAY = Duration.ofSeconds(1);

    private final Users users;
    private final Roles roles;
    private final Tokens tokens;
    private final Guesses guesses;
    private final Hosts hosts;

    Entrance(Tokens tokens, Guesses guesses, Hosts hosts) {
        this.users = tokens.users();
        this.roles = tokens.roles();
        this.tokens = tokens;
        this.guesses = guesses;
        this.hosts = hosts;
    }

    /** Somebody at the Unix socket. A token there is refused: it might say less than the kernel does. */
    Visitor local(String user, Exchange exchange) {
        if (exchange.header(AUTHORIZATION).isPresent()) {
            throw ApiException.of(
                    400,
                    "TOKEN_NOT_TAKEN",
                    "at the Unix socket the kernel says who you are; leave the Authorization header out, or use TCP");
        }
        Submitter known = users.find(user)
                .orElseThrow(() -> ApiException.of(
                        403, "NO_SUCH_USER", "user " + user + " is not in this machine's user database"));
        return new Visitor(Optional.of(new Caller(known, roles.of(known), Scope.ADMIN)), Optional.empty());
    }

    /**
     * Somebody on TCP.
     *
     * @param at the address that the connection came to
     */
    Visitor remote(InetSocketAddress from, InetAddress at, Exchange exchange) throws InterruptedException {
        hosts.check(exchange, at);
        Optional<String> header = exchange.header(AUTHORIZATION);
        if (header.isEmpty()) {
            return Visitor.NOBODY;
        }
        try {
            return tokens.visitor(header.get());
        } catch (ApiException refusal) {
            if (refusal.status() == UNAUTHORIZED && guesses.isTooMany(from.getAddress())) {
                throw slowedDown();
            }
            throw refusal;
        }
    }

    private ApiException slowedDown() throws InterruptedException {
        TimedWait.of(DELAY);
        return ApiException.tooMuch(
                429,
                "TOO_MANY_TOKENS",
                "too many wrong tokens from this address; correct the token (BERTH_TOKEN), and try again in a minute",
                Guesses.WINDOW);
    }
}
