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

    /**
     * Reads an {@code Authorization} header.
     *
     * @throws ApiException where the token is none, or no more
     */
    Authentication authentication(String header) {
        Token token = TokenSecret.parse(bearer(header))
                .flatMap(secret -> queries.token(secret.id()).filter(kept -> secret.matches(kept.hash())))
                .orElseThrow(() -> refusal("TOKEN_UNKNOWN", "this server knows no such token" + AGAIN));
        Instant revoked = token.revokedAt();
        if (revoked != null) {
            throw refusal("TOKEN_REVOKED", "token " + token.id() + " was revoked at " + revoked + AGAIN);
        }
        if (token.isExpired(clock.instant())) {
            throw refusal("TOKEN_EXPIRED", "token " + token.id() + " expired at " + token.expiresAt() + AGAIN);
        }
        Submitter user = users.find(token.user())
                .filter(found -> found.uid() == token.uid())
                .orElseThrow(() -> refusal(
                        "TOKEN_USER_GONE",
                        "token " + token.id() + " is of user " + token.user() + " (" + token.uid()
                                + "), who is not in this machine's user database any more"));
        Caller caller = new Caller(user, roles.of(user), Scope.valueOf(token.scope()));
        return new Authentication(Optional.of(caller), Optional.of(token));
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
