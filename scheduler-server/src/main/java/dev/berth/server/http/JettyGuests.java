package dev.berth.server.http;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All connections, and their bounds. One too many is let in as far as to be told so; far too many are closed without a
 * word. Whom a Unix connection belongs to is found out beside it, as the user database may take its time.
 */
final class JettyGuests implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(JettyGuests.class);

    /** How many beyond the bound are told why they are refused. */
    private static final int REFUSED_IN_WORDS = 32;

    private static final int KEEP_ALIVE_SECONDS = 60;
    private static final int KEEP_ALIVE_PROBES = 4;

    /** What a connection holds; an empty owner holds no seat of an owner. */
    private record Stay(JettyGuest guest, boolean hasRoom, CompletableFuture<String> owner) {}

    private final Map<Object, Stay> stays = new ConcurrentHashMap<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final Deadlines deadlines = new Deadlines();
    private final HttpLimits limits;
    private final Seats owners;

    JettyGuests(HttpLimits limits) {
        this.limits = limits;
        this.owners = new Seats(limits.connectionsPerUser());
    }

    @Override
    public void onOpened(Connection connection) {
        EndPoint endPoint = raw(connection.getEndPoint());
        if (stays.containsKey(endPoint.getTransport())) {
            return;
        }
        if (stays.size() >= limits.connections() + REFUSED_IN_WORDS) {
            LOG.debug("a connection is closed: there are {}", stays.size());
            endPoint.close();
            return;
        }
        JettyGuest guest = new JettyGuest(endPoint, deadlines, limits.times());
        Stay stay = new Stay(guest, inside.incrementAndGet() <= limits.connections(), new CompletableFuture<>());
        stays.put(endPoint.getTransport(), stay);
        guest.awaitRequest();
        if (guest.address().isPresent()) {
            keepAlive((SocketChannel) endPoint.getTransport());
            seat(stay, Guesses.key(guest.address().get().getAddress()));
        } else {
            Thread.ofVirtual().start(() -> seatUser(stay));
        }
    }

    private void seatUser(Stay stay) {
        try {
            seat(stay, "user " + stay.guest().user());
        } catch (IOException e) {
            LOG.debug("a connection went before it began: {}", e.getMessage());
            stay.owner().complete("");
        }
    }

    private void seat(Stay stay, String owner) {
        stay.owner().complete(owners.take(owner) ? owner : "");
    }

    /** So that a client whose machine is gone does not stay for ever. */
    private static void keepAlive(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_SECONDS / KEEP_ALIVE_PROBES);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
        } catch (IOException e) {
            LOG.debug("a connection went before it began: {}", e.getMessage());
        }
    }

    @Override
    public void onClosed(Connection connection) {
        Stay stay = stays.remove(raw(connection.getEndPoint()).getTransport());
        if (stay == null) {
            return;
        }
        inside.decrementAndGet();
        stay.guest().gone();
        var _ = stay.owner().thenAccept(owner -> {
            if (!owner.isEmpty()) {
                owners.leave(owner);
            }
        });
    }

    /** Whose request this is. */
    JettyGuest of(Request request) {
        return stay(request).guest();
    }

    /** Refuses a request on a connection that is one too many. */
    void requireRoom(Request request) {
        Stay stay = stay(request);
        if (!stay.hasRoom()) {
            throw ApiException.of(
                    503,
                    "TOO_MANY_CONNECTIONS",
                    "this server has its " + limits.connections() + " connections; try again in a few seconds");
        }
        if (stay.owner().join().isEmpty()) {
            throw ApiException.of(
                    429,
                    "TOO_MANY_CONNECTIONS",
                    "you have " + owners.each() + " connections to this server, which is as many as one may have; end"
                            + " some (commands that follow or wait), and try again");
        }
    }

    private Stay stay(Request request) {
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        Stay stay = stays.get(raw(endPoint).getTransport());
        if (stay == null) {
            throw ApiException.of(503, "STOPPING", "the connection is going");
        }
        return stay;
    }

    /** What lies below TLS. */
    private static EndPoint raw(EndPoint endPoint) {
        EndPoint inner = endPoint;
        while (inner instanceof EndPoint.Wrapper wrapper) {
            inner = wrapper.unwrap();
        }
        return inner;
    }

    void close() {
        deadlines.close();
    }
}
