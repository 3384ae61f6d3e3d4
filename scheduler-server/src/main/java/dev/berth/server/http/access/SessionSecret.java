package dev.berth.server.http.access;

import java.security.SecureRandom;
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
    private static final Pattern COOKIE = Pattern.compile("([0-9a-f]{16})_([A-Za-z0-9_-]{43})");
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{43}");

    public static SessionSecret fresh(SecureRandom random) {
        return new SessionSecret(Secrets.id(random), Secrets.text(random), Secrets.text(random));
    }

    /** Reads what a browser sent; empty where one of the two has not its form. */
    static Optional<SessionSecret> parse(String cookie, String key) {
        var match = COOKIE.matcher(cookie);
        return match.matches() && KEY.matcher(key).matches()
                ? Optional.of(new SessionSecret(match.group(1), match.group(2), key))
                : Optional.empty();
    }

    /** Whether these are the halves whose hash was kept. */
    boolean matches(String hash) {
        return Secrets.isSame(hash(), hash);
    }

    /** Of both halves: longer than that of any token, so that neither is ever taken for the other. */
    public String hash() {
        return Secrets.hash(cookie + key);
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
