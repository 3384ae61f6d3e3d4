package dev.berth.server.notify;

import dev.berth.server.config.AllowedHost;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * The addresses of the public internet. All others lead to this machine or to its network, or nowhere (IANA's registries of
 * special-purpose addresses of IPv4 and IPv6). An IPv4 address within one of IPv6 is not public: where it leads, a gateway
 * decides. But for {@code ::ffff:0:0/96}, which Java itself reads as IPv4.
 */
final class PublicAddresses {
    private static final List<AllowedHost> NOT_PUBLIC = Stream.of(
                    "0.0.0.0/8",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.0.0.0/24",
                    "192.0.2.0/24",
                    "192.88.99.0/24",
                    "192.168.0.0/16",
                    "198.18.0.0/15",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    "224.0.0.0/4",
                    "240.0.0.0/4",
                    "2001::/23",
                    "2001:db8::/32",
                    "2002::/16",
                    "3fff::/20")
            .map(PublicAddresses::network)
            .toList();

    /** All of IPv6 that is assigned to anybody. */
    private static final AllowedHost GLOBAL = network("2000::/3");

    private PublicAddresses() {}

    private static AllowedHost network(String text) {
        int slash = text.indexOf('/');
        return new AllowedHost(
                text,
                InetAddress.ofLiteral(text.substring(0, slash)),
                Integer.parseInt(text, slash + 1, text.length(), 10));
    }

    static boolean has(InetAddress address) {
        boolean isAssigned = address.getAddress().length == 4 || GLOBAL.has("", address);
        return isAssigned && NOT_PUBLIC.stream().noneMatch(network -> network.has("", address));
    }
}
