package dev.berth.server.config;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host by its name, or the addresses of a network, at one port or at all of them.
 *
 * @param name in lower case; the text of the network where it is one
 * @param network the first of the addresses, null for a name
 * @param prefix the number of leading bits that they share
 * @param port 0 for all
 */
public record AllowedHost(String name, @Nullable InetAddress network, int prefix, int port) {
    static final String RULE =
            "a host's name, an IP address, or a network such as 10.0.0.0/8, each also with one port from 1"
                    + " to 65535, as in chat.example.org:8443 or [fd00::/8]:443";

    private static final int MAX_PORT = 0xffff;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?");
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,3}");

    /** What stands before a port: in brackets where it has colons itself. */
    private static final Pattern WITH_PORT =
            Pattern.compile("(?:\\[([^\\[\\]]*:[^\\[\\]]*)]|([^:\\[\\]]*)):([1-9][0-9]{0,4})");

    /** At all ports. */
    public AllowedHost(String name, @Nullable InetAddress network, int prefix) {
        this(name, network, prefix, 0);
    }

    static Optional<AllowedHost> parse(String text) {
        Matcher parts = WITH_PORT.matcher(text);
        if (!parts.matches()) {
            return ofAllPorts(text);
        }
        int port = Integer.parseInt(parts.group(3));
        String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
        return ofAllPorts(host)
                .filter(_ -> port <= MAX_PORT)
                .map(all -> new AllowedHost(all.name, all.network, all.prefix, port));
    }

    private static Optional<AllowedHost> ofAllPorts(String text) {
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        Optional<InetAddress> address = address(host);
        if (address.isPresent()) {
            int bits = address.get().getAddress().length * Byte.SIZE;
            String length = slash < 0 ? Integer.toString(bits) : text.substring(slash + 1);
            return Optional.of(length)
                    .filter(it -> DIGITS.matcher(it).matches())
                    .map(Integer::valueOf)
                    .filter(prefix -> prefix <= bits)
                    .map(prefix -> new AllowedHost(text, address.get(), prefix));
        }
        boolean isName = slash < 0 && NAME.matcher(text).matches() && !endsInNumber(text);
        return isName ? Optional.of(new AllowedHost(text.toLowerCase(Locale.ROOT), null, 0)) : Optional.empty();
    }

    /** As the forms of addresses do that are no literals; no name does (RFC 3696). */
    private static boolean endsInNumber(String text) {
        return Character.isDigit(text.charAt(text.lastIndexOf('.') + 1));
    }

    /** No name is looked up. */
    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether this names a host by that name, or has that address. */
    public boolean has(String host, InetAddress address) {
        return network == null ? name.equals(host.toLowerCase(Locale.ROOT)) : isWithin(network, prefix, address);
    }

    /** The same at that port. */
    public boolean has(String host, InetAddress address, int at) {
        return (port == 0 || port == at) && has(host, address);
    }

    /** Whether an address has the first bits of another one. */
    public static boolean isWithin(InetAddress network, int prefix, InetAddress address) {
        byte[] one = network.getAddress();
        byte[] other = address.getAddress();
        if (one.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < prefix; bit++) {
            int mask = 0x80 >> bit % Byte.SIZE;
            if (((one[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        String shown = name.contains(":") && port != 0 ? "[" + name + "]" : name;
        return port == 0 ? shown : shown + ":" + port;
    }
}
