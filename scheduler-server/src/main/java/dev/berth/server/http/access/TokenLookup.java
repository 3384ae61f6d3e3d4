package dev.berth.server.http.access;

import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.linux.Users;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.Token;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** The user that a token stands for, now: its user must still be there, under the same name and number. */
public record TokenLookup(JobQueries queries, Users users, Roles roles, InstantSource clock) {
    private static final String SCHEME = "Bearer ";
    private static final String AGAIN = "; make another with: berth token create";
    private static final String LOGIN = "; log in again with: berth open";

    /**
     * Reads an {@code Authorization} header.
     *
     * @throws ApiException where the token is none, or no more
     */
    Authentication authentication(String header) {
        return caller(known(bearer(header)));
    }

    /**
     * The token of that text.
     *
     * @throws ApiException where it is none, or no more
     */
    Token token(String text) {
        Token token = known(text);
        Authentication _ = caller(token);
        return token;
    }

    /** The session of that secret, whether it lives or not. */
    Optional<Token> session(SessionSecret secret) {
        return queries.token(secret.id()).filter(kept -> secret.matches(kept.hash()));
    }

    private Token known(String text) {
        return TokenSecret.parse(text)
                .flatMap(secret -> queries.token(secret.id()).filter(kept -> secret.matches(kept.hash())))
                .orElseThrow(() -> refusal("TOKEN_UNKNOWN", "this server knows no such token" + AGAIN));
    }

    /**
     * The caller that a token stands for.
     *
     * @throws ApiException where it is no more
     */
    Authentication caller(Token token) {
        String name = token.browser() == null ? "token " + token.id() : "session " + token.id();
        String again = token.browser() == null ? AGAIN : LOGIN;
        Instant revoked = token.revokedAt();
        if (revoked != null) {
            throw refusal("TOKEN_REVOKED", name + " was revoked at " + revoked + again);
        }
        if (token.isExpired(clock.instant())) {
            throw refusal("TOKEN_EXPIRED", name + " expired at " + token.expiresAt() + again);
        }
        Submitter user = users.find(token.user())
                .filter(found -> found.uid() == token.uid())
                .orElseThrow(() -> refusal(
                        "TOKEN_USER_GONE",
                        name + " is of user " + token.user() + " (" + token.uid()
                                + "), who is not in this machine's user database any more"));
        return Authentication.of(new Caller(user, roles.of(user), Scope.valueOf(token.scope()), false), token);
    }

    private static String bearer(String header) {
        if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw refusal("TOKEN_UNKNOWN", "the Authorization header must be: Bearer TOKEN");
        }
        return header.substring(SCHEME.length()).strip();
    }

    private static ApiException refusal(String code, String message) {
        return ApiException.of(401, code, message);
    }
}
