package dev.berth.server.http;

import dev.berth.server.config.Keys;
import dev.berth.server.config.Member;
import dev.berth.server.config.Settings;
import dev.berth.server.http.access.RoleNames;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of where a server listens, and whom it lets in.
 *
 * @param address where it listens over TCP
 * @param hosts further names by which it may be called over TCP, each with or without a port
 * @param tls its certificate and key, null for TCP without TLS
 * @param allowInsecureBind whether an address of the network will do without TLS
 * @param roles who is an administrator or a reader
 */
public record HttpSettings(
        Path socket,
        InetSocketAddress address,
        List<String> hosts,
        @Nullable TlsFiles tls,
        boolean allowInsecureBind,
        RoleNames roles,
        HttpLimits limits) {
    public HttpSettings {
        hosts = List.copyOf(hosts);
    }

    /** The settings of the configuration. */
    public static HttpSettings of(Settings settings) {
        return new HttpSettings(
                settings.get(Keys.SOCKET),
                new InetSocketAddress(settings.get(Keys.BIND), settings.get(Keys.PORT)),
                settings.get(Keys.HOSTS),
                tls(settings),
                settings.get(Keys.ALLOW_INSECURE_BIND),
                new RoleNames(names(settings.get(Keys.ADMINISTRATORS)), names(settings.get(Keys.READERS))),
                HttpLimits.of(settings.get(Keys.MAX_CONNECTIONS_ALL), settings.get(Keys.MAX_CONNECTIONS_PER_USER)));
    }

    private static List<String> names(List<Member> members) {
        return members.stream().map(Member::toString).toList();
    }

    /** Both of a pair are there or neither: the configuration has seen to that. */
    private static @Nullable TlsFiles tls(Settings settings) {
        Path store = settings.find(Keys.KEY_STORE);
        Path password = settings.find(Keys.KEY_STORE_PASSWORD_FILE);
        if (store != null && password != null) {
            return new TlsFiles.KeyStoreFile(store, password);
        }
        Path certificate = settings.find(Keys.CERTIFICATE);
        Path key = settings.find(Keys.CERTIFICATE_KEY);
        return certificate != null && key != null ? new TlsFiles.PemFiles(certificate, key) : null;
    }

    /** As a server is where its operator says nothing. */
    public static HttpSettings of(Path socket, InetSocketAddress address) {
        return new HttpSettings(
                socket, address, List.of(), null, false, new RoleNames(List.of(), List.of()), HttpLimits.DEFAULT);
    }

    public String scheme() {
        return tls == null ? "http" : "https";
    }

    /** The URL where it is found once it listens at that port. */
    public String url(int port) {
        InetAddress bound = address.getAddress();
        String host = bound.getHostAddress();
        return scheme() + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Whether others than this machine itself reach it without TLS. */
    private boolean isInTheClear() {
        return tls == null && !address.getAddress().isLoopbackAddress();
    }

    /** The reason why a server must not start like this. */
    public Optional<String> refusal() {
        return isInTheClear() && !allowInsecureBind
                ? Optional.of("listening at " + address.getAddress().getHostAddress()
                        + " without TLS would send tokens and logs over the network for everybody to read; give the"
                        + " server a certificate (tls.certificate and tls.key, or tls.key-store), bind it to 127.0.0.1,"
                        + " or say server.allow-insecure-bind: true where the network itself is safe")
                : Optional.empty();
    }

    /** The warnings that the operator should be told as long as it runs. */
    public List<String> warnings() {
        return isInTheClear()
                ? List.of("TCP at " + address.getAddress().getHostAddress() + " has no TLS (allow-insecure-bind):"
                        + " whoever listens on the network reads the tokens, and can do what their users can")
                : List.of();
    }
}
