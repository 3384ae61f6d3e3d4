package dev.berth.cli.client;

import dev.berth.cli.client.http.ServerUnreachable;
import dev.berth.cli.client.http.TlsChannel;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * A server that is reached over the network, or over TCP on this machine. Not loaded where the Unix socket is used.
 * Proxies that the environment names are not used.
 *
 * @param url for people
 * @param host a name, or an address; an IPv6 one without its brackets
 * @param token says who asks; null where there is none
 * @param authority a PEM file of certificates to trust in place of the JDK's, null for the JDK's
 */
public record RemoteServer(
        String url,
        boolean tls,
        String host,
        int port,
        @Nullable String token,
        @Nullable Path authority) {
    static final String TOKEN_VARIABLE = "BERTH_TOKEN";
    static final String TOKEN_FILE_VARIABLE = "BERTH_TOKEN_FILE";
    public static final String AUTHORITY_VARIABLE = "BERTH_CA_FILE";
    static final String INSECURE_VARIABLE = "BERTH_ALLOW_INSECURE";

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final int MAX_PORT = 65_535;
    private static final int CONNECT_MILLIS = 10_000;
    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int MAX_TOKEN_LENGTH = 4_096;
    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    /**
     * The server at a URL, with the token that the variables name.
     *
     * @param notices takes a sentence about what is unsafe but no reason to refuse
     */
    public static RemoteServer of(String url, Map<String, String> variables, Consumer<String> notices) {
        URI uri = parsed(url);
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        boolean tls = scheme.equals("https");
        String host = uri.getHost();
        boolean isWhole =
                host != null && uri.getUserInfo() == null && uri.getQuery() == null && uri.getFragment() == null;
        String path = uri.getPath();
        if ((!tls && !scheme.equals("http"))
                || !isWhole
                || !(path == null || path.isEmpty() || path.equals("/"))
                || uri.getPort() > MAX_PORT) {
            throw notAUrl(url);
        }
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        int port = uri.getPort() >= 0 ? uri.getPort() : tls ? HTTPS_PORT : HTTP_PORT;
        String token = token(variables, notices);
        if (token != null && !tls && !isLoopback(bare) && !"1".equals(variables.get(INSECURE_VARIABLE))) {
            throw Failure.usage(scheme + "://" + uri.getAuthority() + " would send your token over the"
                    + " network for everybody to read; use https://, or a tunnel (ssh -L), or set " + INSECURE_VARIABLE
                    + "=1 where the network itself is safe");
        }
        String authority = said(variables, AUTHORITY_VARIABLE);
        return new RemoteServer(
                scheme + "://" + uri.getAuthority(),
                tls,
                bare,
                port,
                token,
                authority == null ? null : Path.of(WorkingDirectory.checked(AUTHORITY_VARIABLE, authority)));
    }

    private static URI parsed(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException odd) {
            throw notAUrl(url);
        }
    }

    private static Failure notAUrl(String url) {
        int at = url.indexOf('@');
        return Failure.usage("'" + (at < 0 ? url : "..." + url.substring(at)) + "' is not where a server can be; write "
                + ServerLocation.URL_VARIABLE
                + " or --url as https://HOST:PORT, for example https://gpu.example.org:5555");
    }

    private static @Nullable String said(Map<String, String> variables, String name) {
        String value = variables.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    private static @Nullable String token(Map<String, String> variables, Consumer<String> notices) {
        String said = said(variables, TOKEN_VARIABLE);
        String file = said(variables, TOKEN_FILE_VARIABLE);
        if (said != null && file != null) {
            throw Failure.usage(TOKEN_VARIABLE + " and " + TOKEN_FILE_VARIABLE
                    + " are both set; keep one of them, and unset the other");
        }
        return file == null
                ? said == null ? null : checked(said.strip(), TOKEN_VARIABLE)
                : checked(ofFile(Path.of(WorkingDirectory.checked(TOKEN_FILE_VARIABLE, file)), notices), file);
    }

    private static String ofFile(Path file, Consumer<String> notices) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            for (PosixFilePermission permission : OF_OTHERS) {
                if (permissions.contains(permission)) {
                    notices.accept("the token in " + file + " can be read by others; run: chmod 600 " + file);
                    break;
                }
            }
            return Files.readString(file).strip();
        } catch (IOException unreadable) {
            throw Failure.usage(
                    TOKEN_FILE_VARIABLE + ": " + file + " cannot be read (" + unreadable.getMessage() + ")");
        }
    }

    /** A token goes into a line of its own in the request, and nothing else may come with it. */
    private static String checked(String token, String where) {
        boolean plain = !token.isEmpty() && token.length() <= MAX_TOKEN_LENGTH;
        for (int at = 0; at < token.length() && plain; at++) {
            plain = token.charAt(at) > ' ' && token.charAt(at) < 0x7f;
        }
        if (!plain) {
            throw Failure.usage("what " + where + " holds is no token; berth token create makes one, a single line that"
                    + " begins with berth_");
        }
        return token;
    }

    private static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost") || host.equals("::1") || isIpv4Loopback(host);
    }

    /** Digits only: a name such as 127.example.org may be anywhere. */
    private static boolean isIpv4Loopback(String host) {
        if (!host.startsWith("127.")) {
            return false;
        }
        for (int at = 0; at < host.length(); at++) {
            if (host.charAt(at) != '.' && (host.charAt(at) < '0' || host.charAt(at) > '9')) {
                return false;
            }
        }
        return true;
    }

    /** The text of the request's Host line. */
    String hostLine() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (tls ? HTTPS_PORT : HTTP_PORT) ? name : name + ":" + port;
    }

    /** A connection over which requests go. */
    ByteChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.socket().connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            // A log may be silent for hours; that the other machine is gone must be noticed all the same.
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
        } catch (UnresolvedAddressException | IOException unreachable) {
            channel.close();
            throw new ServerUnreachable(this, unreachable);
        }
        return tls ? TlsChannel.over(channel, this) : channel;
    }

    /** Does not tell the token. */
    @Override
    public String toString() {
        return url;
    }
}
