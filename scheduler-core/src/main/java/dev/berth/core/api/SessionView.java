package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The caller, as a page shows it.
 *
 * @param name the Unix user, null for a reader without a name
 * @param role what this user is on this server: user, reader or administrator
 * @param scope how much of that is let through: read, submit or admin
 * @param expiresAt when the session or the token ends, null where nothing ends
 * @param server the name of the server's machine
 * @param version the server's version
 */
public record SessionView(
        @Nullable String name,
        String role,
        String scope,
        @Nullable String expiresAt,
        String server,
        String version) {}
