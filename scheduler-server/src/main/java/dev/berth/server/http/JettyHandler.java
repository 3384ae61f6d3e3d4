package dev.berth.server.http;

import dev.berth.server.http.access.Authentication;
import dev.berth.server.http.access.Authenticator;
import dev.berth.server.http.exchange.AnswerBrokenOff;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.measure.Requests.Answered;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes requests from Jetty, finds out who sends them, and has them answered; all refusals have one form. */
final class JettyHandler extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(JettyHandler.class);
    private static final long MAX_UNREAD_BYTES = 64L << 20;
    private static final int UNAUTHORIZED = 401;
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    private final Router router;
    private final Authenticator authenticator;
    private final JettyConnections connections;

    JettyHandler(Router router, Authenticator authenticator, JettyConnections connections) {
        this.router = router;
        this.authenticator = authenticator;
        this.connections = connections;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        try {
            JettyConnection connection = connections.of(request);
            connection.requestCame();
            answer(request, response, connection);
            connection.awaitRequest();
            callback.succeeded();
        } catch (AnswerBrokenOff | ApiException e) {
            // It cannot go on, or its connection went before it began. Jetty logs what is not marked as no fault.
            callback.failed(new QuietException.RuntimeException(e));
        } catch (Exception e) {
            // The client is gone, or the server is going, or the answer cannot go on.
            callback.failed(e);
        } catch (VirtualMachineError e) {
            // Jetty would go on without a word; the handler of uncaught errors ends the server.
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            callback.failed(e);
        }
        return true;
    }

    private void answer(Request request, Response response, JettyConnection connection) throws IOException {
        JettyExchange unknown = new JettyExchange(request, response, connection, Authentication.NOBODY);
        try {
            connections.requireRoom(request);
            unknown.requireReadable();
            Authentication authentication = authentication(unknown, connection);
            if (authentication.caller().isPresent()) {
                connections.identify(request, authentication.caller().get());
            }
            router.handle(new JettyExchange(request, response, connection, authentication));
        } catch (Exception e) {
            switch (JettyFailure.of(e, connection.isGone())) {
                case JettyFailure.Refused(ApiException refusal) -> refuse(unknown, response, refusal);
                case JettyFailure.BrokenOff(String why) -> throw brokenOff(request, why);
                case JettyFailure.Fault(Exception why) -> {
                    LOG.error("{} {} failed", request.getMethod(), rawPath(request), why);
                    refuse(unknown, response, JettyFailure.internal());
                }
            }
        } finally {
            count(request, response.getStatus());
        }
    }

    /** A client may send any word as its method; only the usual ones are counted by name. */
    private void count(Request request, int status) {
        String method = METHODS.contains(request.getMethod()) ? request.getMethod() : "other";
        Answered answered = new Answered(method, JettyExchange.route(request), status);
        if (JettyExchange.wentOn(request)) {
            router.requests().count(answered);
        } else {
            router.requests().count(answered, Duration.ofNanos(NanoTime.since(request.getHeadersNanoTime())));
        }
    }

    private static AnswerBrokenOff brokenOff(Request request, String why) {
        LOG.debug("{} {} was broken off: {}", request.getMethod(), rawPath(request), why);
        return new AnswerBrokenOff(why);
    }

    /** As it was sent: decoded it could write lines of its own to the log. */
    private static String rawPath(Request request) {
        return String.valueOf(request.getHttpURI().getPath());
    }

    private Authentication authentication(JettyExchange exchange, JettyConnection connection)
            throws IOException, InterruptedException {
        Optional<InetSocketAddress> from = connection.address();
        if (from.isEmpty()) {
            return authenticator.local(connection.user(), exchange);
        }
        InetAddress at =
                exchange.request().getConnectionMetaData().getLocalSocketAddress() instanceof InetSocketAddress local
                        ? local.getAddress()
                        : InetAddress.getLoopbackAddress();
        return authenticator.remote(from.get(), at, exchange);
    }

    private static void refuse(JettyExchange exchange, Response response, ApiException refusal) throws IOException {
        if (response.isCommitted()) {
            throw brokenOff(exchange.request(), "the answer had begun: " + refusal.getMessage());
        }
        if (refusal.status() == UNAUTHORIZED) {
            exchange.answerHeader("WWW-Authenticate", "Bearer realm=\"berth\"");
        }
        refusal.again().ifPresent(again -> exchange.answerHeader("Retry-After", Long.toString(again.toSeconds())));
        if (refusal.error().code().equals("TOO_MANY_CONNECTIONS")) {
            exchange.answerHeader("Connection", "close");
        }
        try {
            Json.answer(exchange, refusal.status(), refusal.error());
            readOn(exchange.body());
        } catch (IOException | IllegalStateException e) {
            throw brokenOff(exchange.request(), e.toString());
        }
    }

    /** A client that still sends must not find the connection closed before it has read the answer. */
    private static void readOn(InputStream rest) throws IOException {
        byte[] unread = new byte[1 << 13];
        long left = MAX_UNREAD_BYTES;
        for (int count = rest.read(unread); count >= 0 && left > 0; count = rest.read(unread)) {
            left -= count;
        }
    }

    /** Answers a refusal of Jetty's. What Jetty refuses before a resource sees it has the form of all refusals. */
    static boolean refuseUnread(Request request, Response response, Callback callback) throws IOException {
        int status = response.getStatus();
        ApiException refusal = JettyFailure.isTheirs(status)
                ? JettyFailure.unreadable(status, (String) request.getAttribute(ErrorHandler.ERROR_MESSAGE))
                : JettyFailure.internal();
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        JettyExchange.protect(response.getHeaders());
        response.write(true, ByteBuffer.wrap(Json.bytes(refusal.error())), callback);
        return true;
    }
}
