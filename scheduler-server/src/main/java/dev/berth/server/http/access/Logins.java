package dev.berth.server.http.access;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.store.Token;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ways into the page: a link or a token begins a session, and the session's cookie and key go on with it.
 *
 * @param cookie the cookie of sessions, null where there is no page
 */
public record Logins(
        TokenLookup tokens,
        WrongTokens wrongTokens,
        Links links,
        @Nullable SessionCookie cookie) {
    /** The header that holds a session's key. */
    public static final String KEY_HEADER = "Berth-Session";

    /** The query's parameter that holds it where a browser lets no header be set, as for images and downloads. */
    public static final String KEY_PARAMETER = "session";

    private static final String API = "/api/";

    /**
     * The start of a session.
     *
     * @param maker the token with which it ends, null where the kernel said who its maker is
     */
    public record Start(
            long uid, String user, Scope scope, @Nullable Token maker) {}

    /**
     * Uses a link up.
     *
     * @throws ApiException where there is none of that secret any more, or its user is gone
     */
    public Start ofLink(String secret, InetAddress from) throws InterruptedException {
        Optional<Links.Link> taken = links.take(secret);
        if (taken.isEmpty()) {
            throw wrongTokens.counted(
                    ApiException.of(
                            401,
                            "LINK_UNKNOWN",
                            "this link was used already, is older than a minute, or is none; make another with: berth open"),
                    from);
        }
        Links.Link link = taken.get();
        return new Start(link.uid(), link.user(), link.scope(), link.maker());
    }

    /**
     * Begins with a token.
     *
     * @throws ApiException where it is none, or no more
     */
    public Start ofToken(String secret, InetAddress from) throws InterruptedException {
        try {
            Token token = tokens.token(secret);
            return new Start(token.uid(), token.user(), Scope.valueOf(token.scope()), token);
        } catch (ApiException refusal) {
            throw wrongTokens.counted(refusal, from);
        }
    }

    /**
     * The caller that a session would be of.
     *
     * @throws ApiException where its user is gone, or it would have ended before it began
     */
    public Authentication caller(Token session) {
        return tokens.caller(session);
    }

    /**
     * The caller by a cookie over TCP. What has ended is no reason to refuse what anybody may have: the refusal is kept
     * for what needs an identity.
     *
     * @throws ApiException where somebody tries secrets, or a page of another server makes a browser send this
     */
    Authentication session(Exchange exchange, InetAddress from, HostNames hosts) throws InterruptedException {
        List<String> cookies = cookie == null || !exchange.path().startsWith(API) ? List.of() : cookie.values(exchange);
        if (cookies.isEmpty()) {
            return Authentication.NOBODY;
        }
        String key = exchange.header(KEY_HEADER)
                .or(() -> exchange.query(KEY_PARAMETER))
                .orElse("");
        if (key.isEmpty()) {
            return Authentication.refused(ApiException.of(
                    401,
                    "SESSION_KEY",
                    "a session of the page needs its key beside the cookie, in the header " + KEY_HEADER
                            + "; log in again with: berth open"));
        }
        Optional<Token> session = cookies.stream()
                .flatMap(value -> SessionSecret.parse(value, key).stream())
                .flatMap(secret -> tokens.session(secret).stream())
                .findFirst();
        if (session.isEmpty()) {
            return Authentication.refused(wrongTokens.counted(
                    ApiException.of(
                            401, "SESSION_UNKNOWN", "this server knows no such session; log in again with: berth open"),
                    from));
        }
        try {
            Authentication caller = tokens.caller(session.get());
            hosts.requireOrigin(exchange);
            return caller;
        } catch (ApiException refusal) {
            if (refusal.status() != 401) {
                throw refusal;
            }
            return Authentication.refused(refusal);
        }
    }
}
