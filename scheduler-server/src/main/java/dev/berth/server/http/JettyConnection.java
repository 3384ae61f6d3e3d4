package dev.berth.server.http;

import dev.berth.server.http.Deadlines.Deadline;
import dev.berth.server.http.HttpLimits.Times;
import dev.berth.server.http.access.WrongTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection: who is at its other end, and how long they may take. Safe for any thread. */
final class JettyConnection implements ConnectionShares.Connection {
    private static final Logger LOG = LoggerFactory.getLogger(JettyConnection.class);

    /** Of a client that went before it was looked at. */
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** As long as a busy server may take to read a request that was sent with the connection. */
    private static final Duration FRESH = Duration.ofSeconds(2);

    private final AtomicReference<Deadline> waiting = new AtomicReference<>(Deadline.NONE);
    private final Set<Deadline> open = ConcurrentHashMap.newKeySet();
    private final EndPoint endPoint;
    private final SocketChannel channel;
    private final Deadlines deadlines;
    private final Times times;
    private final Optional<InetSocketAddress> address;
    private final long opened = NanoTime.now();
    private volatile boolean hasAsked;
    private volatile boolean isIdle;

    /** The client at the end of what the network or the kernel gave, below TLS. */
    JettyConnection(EndPoint endPoint, Deadlines deadlines, Times times) {
        this.endPoint = endPoint;
        this.channel = (SocketChannel) endPoint.getTransport();
        this.deadlines = deadlines;
        this.times = times;
        // Now: one that was closed has none any more, and must not be taken for one at the Unix socket.
        this.address = channel.supportedOptions().contains(ExtendedSocketOptions.SO_PEERCRED)
                ? Optional.empty()
                : Optional.of(endPoint.getRemoteSocketAddress() instanceof InetSocketAddress remote ? remote : NOWHERE);
    }

    Times times() {
        return times;
    }

    /** The address that they come from over TCP; empty at the Unix socket. */
    Optional<InetSocketAddress> address() {
        return address;
    }

    /**
     * The origin that connections over TCP are counted by: an address, or a network. Who speaks to a loopback address,
     * or from the one that they speak to, is on this machine, whatever address they say they have.
     */
    String origin() {
        InetAddress from = address.orElse(NOWHERE).getAddress();
        boolean isLocal = endPoint.getLocalSocketAddress() instanceof InetSocketAddress here
                && here.getAddress() != null
                && (here.getAddress().isLoopbackAddress() || here.getAddress().equals(from));
        return isLocal ? WrongTokens.LOCAL : WrongTokens.key(from);
    }

    /** The user at the other end of a Unix socket (unix(7), SO_PEERCRED); asks the user database. */
    String user() throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
    }

    /** From now on it is their turn to send a request. */
    void awaitRequest() {
        open.forEach(Deadline::close);
        open.clear();
        isIdle = true;
        Duration limit = hasAsked ? times.request() : times.first();
        waiting.getAndSet(deadline(limit, "no request came in time")).close();
    }

    @Override
    public boolean isIdle() {
        return isIdle;
    }

    @Override
    public boolean isFresh() {
        return !hasAsked && NanoTime.since(opened) < FRESH.toNanos();
    }

    /** Their request is here. */
    void requestCame() {
        hasAsked = true;
        isIdle = false;
        waiting.getAndSet(Deadline.NONE).close();
    }

    /** Ends the connection where something takes too long; closed by the thread that waited, or with the request. */
    Deadline during(Duration limit, String what) {
        Deadline deadline = deadline(limit, what);
        open.add(deadline);
        return () -> {
            open.remove(deadline);
            deadline.close();
        };
    }

    private Deadline deadline(Duration limit, String what) {
        return deadlines.start(limit, () -> cut(what));
    }

    @Override
    public void cut(String why) {
        LOG.debug("a connection is closed: {}", why);
        endPoint.close(new TimeoutException(why));
    }

    /** Whether nobody can be answered any more. */
    boolean isGone() {
        return !endPoint.isOpen();
    }

    void gone() {
        requestCame();
        open.forEach(Deadline::close);
    }
}
