package dev.berth.server.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The record kept of a token. The secret is not: only its SHA-256, in hexadecimal.
 *
 * @param uid the user it acts as, by number
 * @param user the same by name; both must still be one user when it is used
 * @param scope how much it lets through, by its name
 * @param expiresAt its end, null where it has none
 * @param revokedAt when it was taken back, null where it was not
 * @param browser what its browser says it is, where it is a session of the page; null for a token
 * @param parent the id of the token that made it, with which it ends; null where the kernel said who its maker is
 */
public record Token(
        String id,
        String name,
        String hash,
        long uid,
        String user,
        String scope,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt,
        @Nullable String browser,
        @Nullable String parent) {

    /** Whether its time is up. */
    public boolean isExpired(Instant now) {
        return expiresAt != null && !expiresAt.isAfter(now);
    }
}
