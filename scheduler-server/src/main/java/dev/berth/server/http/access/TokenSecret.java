package dev.berth.server.http.access;

import dev.berth.server.code.Digests;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A token as its holder writes it: {@code berth_ID_SECRET}.
 *
 * @param id finds what is kept of it; 16 hexadecimal digits
 * @param secret 32 random bytes, in base64url
 */
public record TokenSecret(String id, String secret) {
    private static final String PREFIX = "berth_";
    private static final int ID_BYTES = 8;
    private static final int ID_LENGTH = 2 * ID_BYTES;
    private static final int SECRET_BYTES = 32;
    private static final int SECRET_LENGTH = 43;
    private static final int LENGTH = PREFIX.length() + ID_LENGTH + 1 + SECRET_LENGTH;

    public static TokenSecret fresh(SecureRandom random) {
        byte[] id = new byte[ID_BYTES];
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(id);
        random.nextBytes(secret);
        return new TokenSecret(
                HexFormat.of().formatHex(id),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** Reads what a client sent; empty where it has not the form of a token. */
    public static Optional<TokenSecret> parse(String text) {
        int end = PREFIX.length() + ID_LENGTH;
        if (text.length() != LENGTH || !text.startsWith(PREFIX) || text.charAt(end) != '_') {
            return Optional.empty();
        }
        return Optional.of(new TokenSecret(text.substring(PREFIX.length(), end), text.substring(end + 1)));
    }

    /** Whether this is the secret whose hash was kept. Takes the same time wherever they differ. */
    boolean matches(String hash) {
        return MessageDigest.isEqual(
                hash().getBytes(StandardCharsets.US_ASCII), hash.getBytes(StandardCharsets.US_ASCII));
    }

    /** The secret has 256 bits of chance, so that a plain hash is enough: nobody tries them all. */
    public String hash() {
        return Digests.of(secret.getBytes(StandardCharsets.UTF_8));
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
