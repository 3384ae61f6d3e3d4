package dev.berth.server.http;

import dev.berth.server.http.ConnectionShares.Answer;
import dev.berth.server.http.ConnectionShares.Owner;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Role;
import dev.berth.server.http.exchange.Caller.Scope;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All connections, and their bounds. One too many is let in as far as to be told so; far too many are closed without a
 * word. Whom a Unix connection belongs to is found out beside it, as the user database may take its time; whom one over
 * TCP belongs to is known when it has shown a token.
 */
final class JettyConnections implements Connection.Listener, SelectorManager.AcceptListener {
    private static final Logger LOG = LoggerFactory.getLogger(JettyConnections.class);

    /** The number of connections beyond a bound that are told why they are refused. */
    private static final int REFUSED_IN_WORDS = 32;

    private static final int KEEP_ALIVE_SECONDS = 60;
    private static final int KEEP_ALIVE_PROBES = 4;
    private static final Duration SOON = Duration.ofSeconds(1);

    private record Stay(JettyConnection connection, CompletableFuture<Answer> place) {}

    private final Map<Object, Stay> stays = new ConcurrentHashMap<>();

    /** The place in the order of arrival of connections that are accepted and not opened yet, from 1. */
    private final Map<Object, Long> arrivals = new ConcurrentHashMap<>();

    private final AtomicLong arrived = new AtomicLong();
    private final AtomicInteger refused = new AtomicInteger();

    /** At the Unix socket, whose user is still looked for: they are in no other count. */
    private final AtomicInteger sought = new AtomicInteger();

    private final Deadlines deadlines = new Deadlines();
    private final HttpLimits limits;
    private final ConnectionShares shares;
    private volatile Predicate<String> operators = _ -> false;

    JettyConnections(HttpLimits limits) {
        this.limits = limits;
        this.shares = new ConnectionShares(limits.connections(), limits.connectionsPerUser());
    }

    /**
     * From now on it is known for whom the operators' part of the room is.
     *
     * @param isOperator of a user of the machine by name; asks the user database
     */
    void know(Predicate<String> isOperator) {
        operators = isOperator;
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        arrivals.put(channel, arrived.incrementAndGet());
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        arrivals.remove(channel);
    }

    @Override
    public void onOpened(Connection opened) {
        EndPoint endPoint = raw(opened.getEndPoint());
        if (stays.containsKey(endPoint.getTransport())) {
            return;
        }
        Long arrival = arrivals.remove(endPoint.getTransport());
        JettyConnection connection = new JettyConnection(endPoint, deadlines, limits.times());
        Stay stay = new Stay(connection, new CompletableFuture<>());
        stays.put(endPoint.getTransport(), stay);
        connection.awaitRequest();
        if (connection.address().isPresent()) {
            keepAlive((SocketChannel) endPoint.getTransport());
            place(stay, new Owner.Unknown(connection.origin(), arrival == null ? arrived.incrementAndGet() : arrival));
        } else if (sought.incrementAndGet() <= limits.connections()) {
            Thread.ofVirtual().start(() -> placeUser(stay));
        } else {
            sought.decrementAndGet();
            refuse(stay, Answer.SERVER_IS_FULL);
        }
    }

    private void placeUser(Stay stay) {
        try {
            String user = stay.connection().user();
            place(stay, new Owner.User(user, operators.test(user), false));
        } catch (IOException | RuntimeException e) {
            LOG.debug("a connection went before it began: {}", e.getMessage());
            refuse(stay, Answer.USER_HAS_ENOUGH);
        } finally {
            sought.decrementAndGet();
        }
    }

    private void place(Stay stay, Owner owner) {
        Answer answer = shares.admit(stay.connection(), owner);
        if (answer == Answer.ADMITTED) {
            stay.place().complete(answer);
            // It may have ended before it was taken in.
            if (!stays.containsValue(stay)) {
                shares.leave(stay.connection());
            }
        } else {
            refuse(stay, answer);
        }
    }

    private void refuse(Stay stay, Answer answer) {
        int others = refused.getAndIncrement();
        stay.place().complete(answer);
        if (others >= REFUSED_IN_WORDS) {
            stay.connection().cut("too many connections are refused already");
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
    public void onClosed(Connection closed) {
        Stay stay = stays.remove(raw(closed.getEndPoint()).getTransport());
        if (stay == null) {
            return;
        }
        stay.connection().gone();
        shares.leave(stay.connection());
        var _ = stay.place().thenAccept(answer -> {
            if (answer != Answer.ADMITTED) {
                refused.decrementAndGet();
            }
        });
    }

    /** The connection whose request this is. */
    JettyConnection of(Request request) {
        return stay(request).connection();
    }

    /** Refuses a request on a connection that is one too many. */
    void requireRoom(Request request) {
        Stay stay = stay(request);
        require(stay.place().join());
        shares.touch(stay.connection());
    }

    /** From now on the connection of this request counts as this user's; refuses the request where that is one too many. */
    void identify(Request request, Caller caller) {
        Stay stay = stay(request);
        JettyConnection connection = stay.connection();
        if (connection.address().isEmpty()) {
            return;
        }
        boolean isOperator = caller.role() == Role.ADMINISTRATOR && caller.scope() == Scope.ADMIN;
        Owner.User user = new Owner.User(caller.name(), isOperator, true);
        if (!shares.owner(connection).filter(user::equals).isPresent()) {
            Answer answer = shares.admit(connection, user);
            // It may have ended before it was taken in.
            if (!stays.containsValue(stay)) {
                shares.leave(connection);
            }
            require(answer);
        }
    }

    private void require(Answer answer) {
        switch (answer) {
            case ADMITTED -> {
                // Welcome.
            }
            case SERVER_IS_FULL ->
                throw ApiException.tooMuch(
                        503,
                        "TOO_MANY_CONNECTIONS",
                        "this server has as many connections as it takes (server.max-connections: "
                                + limits.connections() + "); try again in a few seconds",
                        SOON);
            case USER_HAS_ENOUGH ->
                throw ApiException.tooMuch(
                        429,
                        "TOO_MANY_CONNECTIONS",
                        "you have " + shares.eachUser() + " connections to this server, which is as many as one may"
                                + " have; end some (commands that follow or wait), and try again",
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

    /** The end point below TLS. */
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
