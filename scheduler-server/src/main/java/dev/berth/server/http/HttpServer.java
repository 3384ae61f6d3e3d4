package dev.berth.server.http;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.http.access.Authenticator;
import dev.berth.server.http.access.HostNames;
import dev.berth.server.http.access.Logins;
import dev.berth.server.http.access.Roles;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.route.ApiParts;
import dev.berth.server.linux.FileStatus;
import dev.berth.server.linux.Users;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on a Unix socket, where the kernel says who asks, and on TCP. A virtual thread a request. */
public final class HttpServer {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int MAX_THREADS = 16;
    private static final int MAX_HEADER_BYTES = 16 * 1024;

    private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    private final JettyConnections connections;
    private final HttpSettings settings;
    private final Server server;
    private final ServerConnector tcp;

    /** Wakes those who wait for more to answer, once there are some. */
    private volatile Runnable wakeFollowers = () -> {};

    /**
     * Makes both listeners, not listening yet.
     *
     * @param background where a renewed certificate is read
     * @throws IOException saying what is wrong with the certificate or its key
     */
    public HttpServer(HttpSettings settings, BackgroundWork background) throws IOException {
        this.settings = settings;
        connections = new JettyConnections(settings.limits());
        QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS);
        threads.setName("http");
        threads.setVirtualThreadsExecutor(requests);
        // What one connection has sent or got is in no other's memory, whatever the library releases when.
        server = new Server(threads, null, new ByteBufferPool.NonPooling());
        server.setErrorHandler(JettyHandler::refuseUnread);
        // Requests are let finish by stop() itself; Jetty would wait as long again for idle connections.
        server.setStopTimeout(0);
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(MAX_HEADER_BYTES);
        // Memory outside of the heap is slow to give back.
        configuration.setUseInputDirectByteBuffers(false);
        configuration.setUseOutputDirectByteBuffers(false);
        UnixDomainServerConnector unix =
                new UnixDomainServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
        unix.setUnixDomainPath(settings.socket());
        tcp = new ServerConnector(server, 1, 1, protocols(settings.tls(), configuration, background));
        tcp.setHost(settings.address().getAddress().getHostAddress());
        tcp.setPort(settings.address().getPort());
        // Of a queue of the usual 50 the kernel turns clients away whose sockets do not block.
        unix.setAcceptQueueSize(settings.limits().connections());
        tcp.setAcceptQueueSize(settings.limits().connections());
        addConnector(unix);
        addConnector(tcp);
    }

    private static ConnectionFactory[] protocols(
            @Nullable TlsFiles files, HttpConfiguration configuration, BackgroundWork background) throws IOException {
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        return files == null
                ? new ConnectionFactory[] {http}
                : new ConnectionFactory[] {new JettyTls(files, background).connections(http.getProtocol()), http};
    }

    /** Connections have deadlines for each thing they do, and none while they only listen: a follower may for days. */
    private void addConnector(AbstractConnector connector) {
        connector.setIdleTimeout(0);
        connector.addBean(connections);
        server.addConnector(connector);
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
        Users users = new Users();
        Roles roles = new Roles(parts.facts().uid(), settings.roles(), users);
        Logins logins =
                parts.logins(roles, settings.tls() != null, settings.limits().wrongTokenDelay());
        Authenticator authenticator = new Authenticator(
                logins,
                HostNames.of(
                        settings.scheme(),
                        settings.address().getAddress(),
                        tcp.getLocalPort(),
                        settings.hosts(),
                        machineName()));
        connections.know(name -> users.find(name)
                .filter(user -> roles.of(user) == Caller.Role.ADMINISTRATOR)
                .isPresent());
        server.setHandler(
                new JettyHandler(parts.router(settings.limits().streamsPerUser(), logins), authenticator, connections));
        wakeFollowers = () -> {
            parts.scheduling().changes().raise();
            parts.logs().wake();
        };
        Path socket = settings.socket();
        makeWay(socket);
        inJetty(server::start);
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString(everybody ? "rw-rw-rw-" : "rw-------"));
    }

    /** A step of Jetty's, which says of each that it may throw anything. */
    @FunctionalInterface
    private interface Step {
        void take() throws Exception;
    }

    private static void inJetty(Step step) throws IOException {
        try {
            step.take();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private static Optional<String> machineName() {
        try {
            return Optional.of(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Removes what a server that ended left in the socket's place, and nothing else. */
    private static void makeWay(Path socket) throws IOException {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        FileStatus there = FileStatus.of(socket);
        if (!there.isSocket() || there.owner() != new UnixSystem().getUid()) {
            throw new IOException("there is a file in its place that is no socket of this user's");
        }
        try (SocketChannel _ = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            throw new IOException("another server answers there");
        } catch (ConnectException e) {
            Files.deleteIfExists(socket);
        }
    }

    /** Ends all connections: what is answered already comes to its end, and what followers wait for breaks off at once. */
    public void stop() {
        try {
            for (Connector connector : server.getConnectors()) {
                var _ = connector.shutdown();
            }
            wakeFollowers.run();
            requests.shutdown();
            if (!requests.awaitTermination(settings.limits().stop().toMillis(), TimeUnit.MILLISECONDS)) {
                requests.shutdownNow();
            }
            inJetty(server::stop);
            connections.close();
            Files.deleteIfExists(settings.socket());
        } catch (IOException | InterruptedException | IllegalStateException e) {
            LOG.warn("the listeners did not stop in order: {}", e.getMessage());
        }
    }
}
