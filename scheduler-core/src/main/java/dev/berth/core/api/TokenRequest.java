package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The request for a token.
 *
 * @param name what to call it, null for {@code token}
 * @param scope how much it lets through: read, submit or admin; null for submit
 * @param expiresInSeconds how long it lives, null for 30 days
 * @param neverExpires whether it lives until it is revoked; then there are no seconds
 */
public record TokenRequest(
        @Nullable String name,
        @Nullable String scope,
        @Nullable Long expiresInSeconds,
        @Nullable Boolean neverExpires) {}
