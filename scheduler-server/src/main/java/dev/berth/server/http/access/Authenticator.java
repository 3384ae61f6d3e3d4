package dev.berth.server.http.access;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.http.exchange.Exchange;
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
public final class Authenticator {
    private static final String AUTHORIZATION = "Authorization";
    private static final int UNAUTHORIZED = 401;
    private static final Duration DELAY = Duration.ofSeconds(1);

    private final Users users;
    private final Roles roles;
    private final TokenLookup tokens;
    private final WrongTokens wrongTokens;
    private final HostNames hosts;

    public Authenticator(TokenLookup tokens, WrongTokens wrongTokens, HostNames hosts) {
        this.users = tokens.users();
        this.roles = tokens.roles();
        this.tokens = tokens;
        this.wrongTokens = wrongTokens;
        this.hosts = hosts;
    }

    /** The caller at the Unix socket. A token there is refused: it might say less than the kernel does. */
    public Authentication local(String user, Exchange exchange) {
        if (exchange.header(AUTHORIZATION).isPresent()) {
            throw ApiException.of(
                    400,
                    "TOKEN_NOT_TAKEN",
                    "at the Unix socket the kernel says who you are; leave the Authorization header out, or use TCP");
        }
        Submitter known = users.find(user)
                .orElseThrow(() -> ApiException.of(
                        403, "NO_SUCH_USER", "user " + user + " is not in this machine's user database"));
        return new Authentication(Optional.of(new Caller(known, roles.of(known), Scope.ADMIN)), Optional.empty());
    }

    /**
     * The caller on TCP.
     *
     * @param at the address that the connection came to
     */
    public Authentication remote(InetSocketAddress from, InetAddress at, Exchange exchange)
            throws InterruptedException {
        hosts.check(exchange, at);
        Optional<String> header = exchange.header(AUTHORIZATION);
        if (header.isEmpty()) {
            return Authentication.NOBODY;
        }
        try {
            return tokens.authentication(header.get());
        } catch (ApiException refusal) {
            if (refusal.status() == UNAUTHORIZED && wrongTokens.isTooMany(from.getAddress())) {
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
                WrongTokens.WINDOW);
    }
}
