package dev.berth.server.http;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
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
 * word. Whom a Unix connection belongs to is found out beside it, as the user database may take its time. A part of the
 * room is the machine's own users', however many come over the network.
 */
final class JettyGuests implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(JettyGuests.class);

    /** How many beyond a bound are told why they are refused. */
    private static final int REFUSED_IN_WORDS = 32;

    private static final int LOCAL_PART = 4;
    private static final int KEEP_ALIVE_SECONDS = 60;
    private static final int KEEP_ALIVE_PROBES = 4;
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final String NETWORK = "network";
    private static final String ALL = "all";

    /** What became of somebody who came. */
    private sealed interface Place {
        record Inside(String owner) implements Place {}

        record ServerIsFull() implements Place {}

        record OwnerHasEnough() implements Place {}
    }

    private record Stay(JettyGuest guest, CompletableFuture<Place> place) {
        boolean isOfNetwork() {
            return guest.address().isPresent();
        }
    }

    private final Map<Object, Stay> stays = new ConcurrentHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();
    private final Deadlines deadlines = new Deadlines();
    private final HttpLimits limits;
    private final Seats owners;
    private final Seats inAll;
    private final Seats ofNetwork;

    JettyGuests(HttpLimits limits) {
        this.limits = limits;
        this.owners = new Seats(limits.connectionsPerUser());
        this.inAll = new Seats(limits.connections());
        this.ofNetwork = new Seats(limits.connections() - limits.connections() / LOCAL_PART);
    }

    @Override
    public void onOpened(Connection connection) {
        EndPoint endPoint = raw(connection.getEndPoint());
        if (stays.containsKey(endPoint.getTransport())) {
            return;
        }
        // Those whose owner is still looked for are in no other count.
        if (stays.size() >= limits.connections() + 2 * REFUSED_IN_WORDS) {
            LOG.debug("a connection is closed: there are {}", stays.size());
            endPoint.close();
            return;
        }
        JettyGuest guest = new JettyGuest(endPoint, deadlines, limits.times());
        Stay stay = new Stay(guest, new CompletableFuture<>());
        stays.put(endPoint.getTransport(), stay);
        guest.awaitRequest();
        if (guest.address().isPresent()) {
            keepAlive((SocketChannel) endPoint.getTransport());
            place(stay, Guesses.key(guest.address().get().getAddress()));
        } else {
            Thread.ofVirtual().start(() -> placeUser(stay));
        }
    }

    private void placeUser(Stay stay) {
        try {
            place(stay, "user " + stay.guest().user());
        } catch (IOException e) {
            LOG.debug("a connection went before it began: {}", e.getMessage());
            refuse(stay, new Place.OwnerHasEnough());
        }
    }

    private void place(Stay stay, String owner) {
        if (!owners.take(owner)) {
            refuse(stay, new Place.OwnerHasEnough());
        } else if (!takeRoom(stay)) {
            owners.leave(owner);
            refuse(stay, new Place.ServerIsFull());
        } else {
            stay.place().complete(new Place.Inside(owner));
        }
    }

    private boolean takeRoom(Stay stay) {
        if (stay.isOfNetwork() && !ofNetwork.take(NETWORK)) {
            return false;
        }
        boolean took = inAll.take(ALL);
        if (!took && stay.isOfNetwork()) {
            ofNetwork.leave(NETWORK);
        }
        return took;
    }

    private void refuse(Stay stay, Place place) {
        int others = refused.getAndIncrement();
        stay.place().complete(place);
        if (others >= REFUSED_IN_WORDS) {
            stay.guest().cut("too many connections are refused already");
        }
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
        stay.guest().gone();
        var _ = stay.place().thenAccept(place -> leave(stay, place));
    }

    private void leave(Stay stay, Place place) {
        if (place instanceof Place.Inside(String owner)) {
            owners.leave(owner);
            inAll.leave(ALL);
            if (stay.isOfNetwork()) {
                ofNetwork.leave(NETWORK);
            }
        } else {
            refused.decrementAndGet();
        }
    }

    /** Whose request this is. */
    JettyGuest of(Request request) {
        return stay(request).guest();
    }

    /** Refuses a request on a connection that is one too many. */
    void requireRoom(Request request) {
        switch (stay(request).place().join()) {
            case Place.Inside _ -> {
                // Welcome.
            }
            case Place.ServerIsFull() ->
                throw ApiException.tooMuch(
                        503,
                        "TOO_MANY_CONNECTIONS",
                        "this server has its " + limits.connections() + " connections; try again in a few seconds",
                        SOON);
            case Place.OwnerHasEnough() ->
                throw ApiException.tooMuch(
                        429,
                        "TOO_MANY_CONNECTIONS",
                        "you have " + owners.each() + " connections to this server, which is as many as one may have;"
                                + " end some (commands that follow or wait), and try again",
                        SOON);
        }
    }

    private Stay stay(Request request) {
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        Stay stay = stays.get(raw(endPoint).getTransport());
        if (stay == null) {
            throw ApiException.stopping("the connection is going");
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
