package dev.berth.server.http.access;

import java.security.SecureRandom;
import java.util.Optional;

/**
 * A token as its holder writes it: {@code berth_ID_SECRET}.
 *
 * @param id finds what is kept of it; 16 hexadecimal digits
 * @param secret 32 random bytes, in base64url
 */
public record TokenSecret(String id, String secret) {
    private static final String PREFIX = "berth_";
    private static final int ID_LENGTH = 16;
    private static final int SECRET_LENGTH = 43;
    private static final int LENGTH = PREFIX.length() + ID_LENGTH + 1 + SECRET_LENGTH;

    public static TokenSecret fresh(SecureRandom random) {
        return new TokenSecret(Secrets.id(random), Secrets.text(random));
    }

    /** Reads what a client sent; empty where it has not the form of a token. */
    public static Optional<TokenSecret> parse(String text) {
        int end = PREFIX.length() + ID_LENGTH;
        if (text.length() != LENGTH || !text.startsWith(PREFIX) || text.charAt(end) != '_') {
            return Optional.empty();
        }
        return Optional.of(new TokenSecret(text.substring(PREFIX.length(), end), text.substring(end + 1)));
    }

    /** Whether this is the secret whose hash was kept. */
    boolean matches(String hash) {
        return Secrets.isSame(hash(), hash);
    }

    /** What is kept of it. */
    public String hash() {
        return Secrets.hash(secret);
    }

    /** The text that is told once. */
    public String text() {
        return PREFIX + id + "_" + secret;
    }

    /** Does not tell the secret. */
    @Override
    public String toString() {
        return PREFIX + id + "_...";
    }
}
