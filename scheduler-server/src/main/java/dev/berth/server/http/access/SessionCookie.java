package dev.berth.server.http.access;

import dev.berth.server.http.exchange.Exchange;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * The cookie of the page's sessions. Cookies know no ports: its name has the server's id, so that two servers of one host
 * do not log each other's users out.
 *
 * @param name what it is called
 * @param secure whether the server is reached by TLS alone
 */
public record SessionCookie(String name, boolean secure) {
    private static final int ID_LENGTH = 12;

    /** The bound on how many of that name are looked at: other ports can set some for other paths. */
    private static final int MAX_LOOKED_AT = 4;

    /** The cookie of a server. */
    public static SessionCookie of(String serverId, boolean secure) {
        String id = serverId.substring(0, Math.min(ID_LENGTH, serverId.length()));
        return new SessionCookie((secure ? "__Host-" : "") + "berth_" + id, secure);
    }

    /** The values that a browser sent. */
    List<String> values(Exchange exchange) {
        String begin = name + "=";
        return exchange.header("Cookie").stream()
                .flatMap(all -> Arrays.stream(all.split(";", -1)))
                .map(String::strip)
                .filter(cookie -> cookie.startsWith(begin))
                .map(cookie -> cookie.substring(begin.length()))
                .limit(MAX_LOOKED_AT)
                .toList();
    }

    /** The header {@code Set-Cookie} that begins a session. */
    public String begun(SessionSecret secret, Duration life) {
        return header(secret.cookieValue(), life.toSeconds());
    }

    /** The header {@code Set-Cookie} that ends one. */
    public String ended() {
        return header("", 0);
    }

    private String header(String value, long maxAge) {
        return name + "=" + value + "; Path=/; Max-Age=" + maxAge + "; HttpOnly; SameSite=Strict"
                + (secure ? "; Secure" : "");
    }
}
