package dev.berth.server.notify;

import dev.berth.server.config.AllowedHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/**
 * The addresses that a notice may be sent to: public ones that are not of a network that this machine is in, and those that the
 * administrator allows. A name is looked up once, and what was looked at is what is connected to.
 *
 * @param allowed by the administrator
 * @param lookup of names
 * @param own the addresses of this machine, with their networks
 */
record Destinations(List<AllowedHost> allowed, Lookup lookup, Own own) {
    private static final int MAX_TRIED = 3;
    private static final int LEAST_PREFIX = 8;

    Destinations {
        allowed = List.copyOf(allowed);
    }

    /** Looks a name up. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] of(String host) throws UnknownHostException;
    }

    /** Lists the machine's own addresses. */
    @FunctionalInterface
    interface Own {
        List<AllowedHost> networks() throws IOException;
    }

    /** The real ones. */
    static Destinations of(List<AllowedHost> allowed) {
        return new Destinations(allowed, InetAddress::getAllByName, Destinations::ownNetworks);
    }

    private static List<AllowedHost> ownNetworks() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(it -> it.getInterfaceAddresses().stream())
                .map(Destinations::network)
                .toList();
    }

    /** Of a link between two hosts there may be no network; then it is the address alone. */
    private static AllowedHost network(InterfaceAddress of) {
        int prefix = of.getNetworkPrefixLength();
        int bits = of.getAddress().getAddress().length * Byte.SIZE;
        return new AllowedHost("", of.getAddress(), prefix < LEAST_PREFIX ? bits : prefix);
    }

    /**
     * The addresses to connect to, in order. One that may not be had refuses the host: else who owns a name could have the
     * others tried until it comes.
     */
    List<InetAddress> of(String host, int port, boolean isEncrypted) throws IOException {
        return allowed(host, port, List.of(lookup.of(host)), isEncrypted);
    }

    /** The rule that a host breaks which is an address already; of a name it is known when it is sent to. */
    Optional<String> objection(String host, int port, boolean isEncrypted) {
        try {
            List<InetAddress> _ = allowed(host, port, List.of(InetAddress.ofLiteral(host)), isEncrypted);
            return Optional.empty();
        } catch (RefusedException e) {
            return Optional.of("cannot be sent to: " + e.getMessage());
        } catch (IllegalArgumentException | IOException e) {
            return Optional.empty();
        }
    }

    private List<InetAddress> allowed(String host, int port, List<InetAddress> addresses, boolean isEncrypted)
            throws IOException {
        List<AllowedHost> networks = own.networks();
        for (InetAddress address : addresses) {
            boolean isAllowed = allowed.stream().anyMatch(it -> it.has(host, address, port));
            if (!isAllowed && !isEncrypted) {
                throw new RefusedException(
                        "http without TLS is for hosts that the administrator allows (notify.allow)");
            }
            boolean isOwn = networks.stream().anyMatch(it -> it.has("", address));
            if (!isAllowed && (isOwn || !PublicAddresses.has(address))) {
                throw new RefusedException(
                        "its address is none of the public internet, and the administrator does not allow it"
                                + " (notify.allow)");
            }
        }
        return addresses.subList(0, Math.min(addresses.size(), MAX_TRIED));
    }

    /** The host may not be connected to. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }
}
