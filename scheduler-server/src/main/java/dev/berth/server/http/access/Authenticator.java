package dev.berth.server.http.access;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.linux.Users;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Finds out who sends a request, and refuses who must not: at the Unix socket the kernel says who it is, over TCP a
 * token does, or the cookie and key of a session of the page. At the socket a cookie means nothing.
 */
public final class Authenticator {
    private static final String AUTHORIZATION = "Authorization";

    private final Users users;
    private final Roles roles;
    private final Logins logins;
    private final HostNames hosts;

    public Authenticator(Logins logins, HostNames hosts) {
        this.users = logins.tokens().users();
        this.roles = logins.tokens().roles();
        this.logins = logins;
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
        return Authentication.of(new Caller(known, roles.of(known), Scope.ADMIN, true));
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
            return logins.session(exchange, from.getAddress(), hosts);
        }
        try {
            return logins.tokens().authentication(header.get());
        } catch (ApiException refusal) {
            throw logins.wrongTokens().counted(refusal, from.getAddress());
        }
    }
}
