package dev.berth.server.http.access;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Exchange;
import java.net.InetAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * By which names the server may be called over TCP. A page of another site can make a browser believe that the site's
 * own name is this machine ("DNS rebinding"), but not change the name that the browser then sends.
 *
 * @param scheme http or https
 * @param port where it listens
 * @param names with a port where only that one will do
 */
public record HostNames(String scheme, int port, Set<String> names) {
    private static final String FOREIGN_HOST = "FOREIGN_HOST";
    private static final String FOREIGN_ORIGIN = "FOREIGN_ORIGIN";
    private static final Set<String> HARMLESS = Set.of("GET", "HEAD");

    /**
     * The names of a server.
     *
     * @param bound the address that it listens at
     * @param port where it listens, which that may leave open
     * @param more further names, from the configuration
     * @param machine the machine's own name, for servers that the network reaches
     */
    public static HostNames of(
            String scheme, InetAddress bound, int port, List<String> more, Optional<String> machine) {
        Set<String> names = new LinkedHashSet<>(List.of("localhost", "127.0.0.1", "[::1]"));
        names.add(literal(bound));
        if (!bound.isLoopbackAddress()) {
            machine.map(HostNames::lower).ifPresent(names::add);
        }
        more.forEach(host -> names.add(lower(host)));
        return new HostNames(scheme, port, names);
    }

    /** Refuses what a foreign page makes a browser send. */
    void check(Exchange exchange, InetAddress at) {
        String host = exchange.header("Host").map(HostNames::lower).orElse("");
        if (!isOwn(host, at)) {
            throw ApiException.of(
                    403,
                    FOREIGN_HOST,
                    "this server is not called '" + shown(host) + "'; it answers to " + String.join(", ", names)
                            + " at port " + port + ", and to the names in server.hosts");
        }
        Optional<String> origin = exchange.header("Origin");
        if (origin.filter(from -> !isSame(lower(from), host)).isPresent()) {
            throw ApiException.of(
                    403, FOREIGN_ORIGIN, "pages of '" + shown(origin.get()) + "' may not use this server");
        }
        boolean crossSite = exchange.header("Sec-Fetch-Site")
                .filter(site -> site.equalsIgnoreCase("cross-site"))
                .isPresent();
        if (crossSite && !HARMLESS.contains(exchange.method())) {
            throw ApiException.of(403, FOREIGN_ORIGIN, "pages of another site may not change anything on this server");
        }
    }

    /** Refuses a change that does not say which page it comes from; that it says its own name was seen to already. */
    void requireOrigin(Exchange exchange) {
        if (!HARMLESS.contains(exchange.method()) && exchange.header("Origin").isEmpty()) {
            throw ApiException.of(
                    403,
                    FOREIGN_ORIGIN,
                    "a request that changes something by a session of the page must say where it comes from (the header"
                            + " Origin); programs take a token");
        }
    }

    /** An address in digits that the connection came to is nobody's name, so that nothing can be rebound. */
    private boolean isOwn(String host, InetAddress at) {
        String name = withoutPort(host);
        boolean portIsRight = name.equals(host) || host.equals(name + ":" + port);
        return names.contains(host) || (portIsRight && (names.contains(name) || name.equals(literal(at))));
    }

    private boolean isSame(String origin, String host) {
        return withoutDefault(origin).equals(withoutDefault(scheme + "://" + host));
    }

    private String withoutDefault(String origin) {
        String ending = scheme.equals("https") ? ":443" : ":80";
        return origin.endsWith(ending) ? origin.substring(0, origin.length() - ending.length()) : origin;
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        boolean inBrackets = colon >= 0 && host.indexOf(']') > colon;
        return colon < 0 || inBrackets ? host : host.substring(0, colon);
    }

    private static String literal(InetAddress address) {
        String digits = address.getHostAddress();
        int zone = digits.indexOf('%');
        String plain = zone < 0 ? digits : digits.substring(0, zone);
        return plain.contains(":") ? "[" + plain + "]" : plain;
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    private static String shown(String text) {
        String part = text.length() > 100 ? text.substring(0, 100) + "..." : text;
        return part.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
