package dev.berth.server.http.access;

import dev.berth.server.code.Digests;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The two halves of a session's secret. A browser sends the cookie to every port of the host, so that it counts for
 * nothing without the key, which the page keeps where no other port's pages reach it.
 *
 * @param id finds what is kept of it among the tokens; 16 hexadecimal digits
 * @param cookie 32 random bytes, in base64url
 * @param key as many others
 */
public record SessionSecret(String id, String cookie, String key) {
    private static final int ID_BYTES = 8;
    private static final int HALF_BYTES = 32;
    private static final Pattern COOKIE = Pattern.compile("([0-9a-f]{16})_([A-Za-z0-9_-]{43})");
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{43}");

    public static SessionSecret fresh(SecureRandom random) {
        byte[] id = new byte[ID_BYTES];
        random.nextBytes(id);
        return new SessionSecret(HexFormat.of().formatHex(id), text(random), text(random));
    }

    static String text(SecureRandom random) {
        byte[] half = new byte[HALF_BYTES];
        random.nextBytes(half);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(half);
    }

    /** Reads what a browser sent; empty where one of the two has not its form. */
    static Optional<SessionSecret> parse(String cookie, String key) {
        var match = COOKIE.matcher(cookie);
        return match.matches() && KEY.matcher(key).matches()
                ? Optional.of(new SessionSecret(match.group(1), match.group(2), key))
                : Optional.empty();
    }

    /** Whether these are the halves whose hash was kept. Takes the same time wherever they differ. */
    boolean matches(String hash) {
        return MessageDigest.isEqual(
                hash().getBytes(StandardCharsets.US_ASCII), hash.getBytes(StandardCharsets.US_ASCII));
    }

    /** Of both halves: longer than that of any token, so that neither is ever taken for the other. */
    public String hash() {
        return Digests.of((cookie + key).getBytes(StandardCharsets.US_ASCII));
    }

    /** The value of the cookie. */
    public String cookieValue() {
        return id + "_" + cookie;
    }

    /** Does not tell the secret. */
    @Override
    public String toString() {
        return id + "_...";
    }
}
