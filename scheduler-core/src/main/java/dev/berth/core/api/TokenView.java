package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * A token or a session of the page, without its secret.
 *
 * @param id what it is known by
 * @param user the Unix user it acts as
 * @param scope how much it lets through: read, submit or admin
 * @param expiresAt its end, null where it has none
 * @param revokedAt when it was taken back, null where it was not
 * @param browser what its browser says it is, where it is a session of the page; null for a token
 */
public record TokenView(
        String id,
        String name,
        String user,
        String scope,
        String createdAt,
        @Nullable String expiresAt,
        @Nullable String revokedAt,
        @Nullable String browser) {}
