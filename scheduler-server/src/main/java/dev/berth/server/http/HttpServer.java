package dev.berth.server.http;

import dev.berth.core.job.Submitter;
import dev.berth.server.loop.BusyException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on a Unix socket, where the kernel says who asks, and on TCP. A virtual thread a request. */
public final class HttpServer {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int MAX_THREADS = 16;
    private static final int MAX_HEADER_BYTES = 16 * 1024;
    private static final long TCP_IDLE_MILLIS = 30_000;
    private static final long STOP_MILLIS = 1_000;
    private static final long MAX_UNREAD_BYTES = 64L << 20;

    private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    private final Server server;
    private final ServerConnector tcp;
    private final Path socket;

    /** Both listeners, not listening yet. */
    public HttpServer(Path socket, InetSocketAddress address) {
        this.socket = socket;
        QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS);
        threads.setName("http");
        threads.setVirtualThreadsExecutor(requests);
        server = new Server(threads);
        server.setErrorHandler(HttpServer::refuseUnread);
        // Requests are let finish by stop() itself; Jetty would wait as long again for idle connections.
        server.setStopTimeout(0);
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(MAX_HEADER_BYTES);
        UnixDomainServerConnector unix =
                new UnixDomainServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
        unix.setUnixDomainPath(socket);
        // A follower may wait for days for the next line.
        unix.setIdleTimeout(0);
        tcp = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
        tcp.setHost(address.getHostString());
        tcp.setPort(address.getPort());
        tcp.setIdleTimeout(TCP_IDLE_MILLIS);
        server.addConnector(unix);
        server.addConnector(tcp);
    }

    /** Takes the TCP port, so that nothing else is done where it is taken; answers the port. */
    public int bind() throws IOException {
        tcp.open();
        return tcp.getLocalPort();
    }

    /**
     * Begins to answer.
     *
     * @param everybody whether all users of the machine may connect to the socket, or only the server's own
     */
    public void start(ApiParts parts, boolean everybody) throws IOException {
        server.setHandler(new Resources(parts.router()));
        makeWay(socket);
        try {
            server.start();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString(everybody ? "rw-rw-rw-" : "rw-------"));
    }

    /** What a server that ended left in the socket's place goes; nothing else does. */
    private static void makeWay(Path socket) throws IOException {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new IOException("there is a file in its place that is no socket");
        }
        try (SocketChannel _ = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            throw new IOException("another server answers there");
        } catch (ConnectException e) {
            Files.deleteIfExists(socket);
        }
    }

    /** What Jetty refuses before a resource sees it has the form of all refusals. */
    private static boolean refuseUnread(Request request, Response response, Callback callback) throws IOException {
        int status = response.getStatus();
        String message = "the request is none that Berth reads: " + HttpStatus.getMessage(status);
        ApiException refusal =
                status < HttpStatus.INTERNAL_SERVER_ERROR_500 || status == HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505
                        ? ApiException.badRequest(message)
                        : internal();
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.write(true, ByteBuffer.wrap(Json.bytes(refusal.error())), callback);
        return true;
    }

    private static ApiException internal() {
        return ApiException.of(500, "INTERNAL", "Berth failed at this; the server's log says how");
    }

    /** Ends all connections: short requests are still answered, followers are let go. */
    public void stop() {
        try {
            for (Connector connector : server.getConnectors()) {
                var _ = connector.shutdown();
            }
            requests.shutdown();
            if (!requests.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS)) {
                requests.shutdownNow();
            }
            server.stop();
            Files.deleteIfExists(socket);
        } catch (Exception e) {
            LOG.warn("the listeners did not stop in order: {}", e.getMessage());
        }
    }

    private static final class Resources extends Handler.Abstract {
        private final Router router;
        private final Accounts accounts = new Accounts();

        Resources(Router router) {
            this.router = router;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            try {
                answer(request, response);
                callback.succeeded();
            } catch (EofException | BrokenOff | InterruptedException e) {
                // Whoever asked is gone, or the server is going, or the answer cannot go on.
                callback.failed(e);
            } catch (Exception e) {
                LOG.error(
                        "{} {} failed",
                        request.getMethod(),
                        request.getHttpURI().getPath(),
                        e);
                callback.failed(e);
            }
            return true;
        }

        private void answer(Request request, Response response) throws IOException, InterruptedException {
            JettyExchange unknown = new JettyExchange(request, response, Optional.empty());
            try {
                router.handle(new JettyExchange(request, response, peer(request).map(Caller::local)));
            } catch (ApiException e) {
                refuse(unknown, response, e);
            } catch (BusyException e) {
                unknown.answerHeader("Retry-After", "1");
                refuse(unknown, response, ApiException.of(429, "BUSY", String.valueOf(e.getMessage())));
            } catch (EofException | BrokenOff e) {
                throw e;
            } catch (RuntimeException | IOException e) {
                LOG.error("{} {} failed", unknown.method(), unknown.path(), e);
                refuse(unknown, response, internal());
            }
        }

        private static void refuse(JettyExchange exchange, Response response, ApiException refusal) throws IOException {
            if (response.isCommitted()) {
                throw new IOException("the answer had begun: " + refusal.getMessage(), refusal);
            }
            JobsResource.answer(exchange, refusal.status(), refusal.error());
            readOn(exchange.body());
        }

        /** A client that still sends must not find the connection closed before it has read the answer. */
        private static void readOn(InputStream rest) throws IOException {
            byte[] unread = new byte[1 << 13];
            long left = MAX_UNREAD_BYTES;
            for (int count = rest.read(unread); count >= 0 && left > 0; count = rest.read(unread)) {
                left -= count;
            }
        }

        /** The user at the other end of a Unix socket (unix(7), SO_PEERCRED). */
        private Optional<Submitter> peer(Request request) throws IOException {
            Object transport = request.getConnectionMetaData()
                    .getConnection()
                    .getEndPoint()
                    .getTransport();
            if (!(transport instanceof SocketChannel channel)
                    || channel.getRemoteAddress() instanceof InetSocketAddress) {
                return Optional.empty();
            }
            String name =
                    channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
            return Optional.of(accounts.find(name)
                    .orElseThrow(() -> ApiException.of(
                            403, "NO_SUCH_USER", "user " + name + " is not in this machine's user database")));
        }
    }
}
