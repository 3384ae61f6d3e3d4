package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The request for a session of the page; one of the two is there.
 *
 * @param link the secret of a link
 * @param token a token
 */
public record SessionRequest(
        @Nullable String link, @Nullable String token) {

    /** Does not tell the secrets. */
    @Override
    public String toString() {
        return "SessionRequest";
    }
}
