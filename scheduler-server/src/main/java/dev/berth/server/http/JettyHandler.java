package dev.berth.server.http;

import dev.berth.server.loop.BusyException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes requests from Jetty, finds out who sends them, and has them answered; all refusals have one form. */
final class JettyHandler extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(JettyHandler.class);
    private static final long MAX_UNREAD_BYTES = 64L << 20;
    private static final int UNAUTHORIZED = 401;
    private static final int TOO_MANY = 429;
    private static final Duration SOON = Duration.ofSeconds(1);

    private final Router router;
    private final Entrance entrance;
    private final JettyGuests guests;

    JettyHandler(Router router, Entrance entrance, JettyGuests guests) {
        this.router = router;
        this.entrance = entrance;
        this.guests = guests;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        JettyGuest guest = guests.of(request);
        guest.requestCame();
        try {
            answer(request, response, guest);
            guest.awaitRequest();
            callback.succeeded();
        } catch (EofException | BrokenOff | InterruptedException e) {
            // Whoever asked is gone, or the server is going, or the answer cannot go on.
            callback.failed(e);
        } catch (Exception e) {
            LOG.error("{} {} failed", request.getMethod(), request.getHttpURI().getPath(), e);
            callback.failed(e);
        }
        return true;
    }

    private void answer(Request request, Response response, JettyGuest guest) throws IOException, InterruptedException {
        JettyExchange unknown = new JettyExchange(request, response, guest, Visitor.NOBODY);
        try {
            guests.requireRoom(request);
            router.handle(new JettyExchange(request, response, guest, visitor(unknown, guest)));
        } catch (ApiException e) {
            refuse(unknown, response, e);
        } catch (BusyException e) {
            refuse(unknown, response, busy(e));
        } catch (EofException | BrokenOff e) {
            throw e;
        } catch (RuntimeException | IOException e) {
            LOG.error("{} {} failed", unknown.method(), unknown.path(), e);
            refuse(unknown, response, internal());
        }
    }

    private Visitor visitor(JettyExchange exchange, JettyGuest guest) throws IOException, InterruptedException {
        Optional<InetSocketAddress> from = guest.address();
        if (from.isEmpty()) {
            return entrance.local(guest.user(), exchange);
        }
        InetAddress at =
                exchange.request().getConnectionMetaData().getLocalSocketAddress() instanceof InetSocketAddress local
                        ? local.getAddress()
                        : InetAddress.getLoopbackAddress();
        return entrance.remote(from.get(), at, exchange);
    }

    private static void refuse(JettyExchange exchange, Response response, ApiException refusal) throws IOException {
        if (response.isCommitted()) {
            throw new IOException("the answer had begun: " + refusal.getMessage(), refusal);
        }
        if (refusal.status() == UNAUTHORIZED) {
            exchange.answerHeader("WWW-Authenticate", "Bearer realm=\"berth\"");
        }
        refusal.again().ifPresent(again -> exchange.answerHeader("Retry-After", Long.toString(again.toSeconds())));
        if (refusal.error().code().equals("TOO_MANY_CONNECTIONS")) {
            exchange.answerHeader("Connection", "close");
        }
        JobsResource.answer(exchange, refusal.status(), refusal.error());
        readOn(exchange.body());
    }

    private static ApiException busy(BusyException e) {
        String message = String.valueOf(e.getMessage());
        return e.isStopping() ? ApiException.stopping(message) : ApiException.tooMuch(TOO_MANY, "BUSY", message, SOON);
    }

    /** A client that still sends must not find the connection closed before it has read the answer. */
    private static void readOn(InputStream rest) throws IOException {
        byte[] unread = new byte[1 << 13];
        long left = MAX_UNREAD_BYTES;
        for (int count = rest.read(unread); count >= 0 && left > 0; count = rest.read(unread)) {
            left -= count;
        }
    }

    /** What Jetty refuses before a resource sees it has the form of all refusals. */
    static boolean refuseUnread(Request request, Response response, Callback callback) throws IOException {
        int status = response.getStatus();
        String message = "the request is none that Berth reads: " + HttpStatus.getMessage(status);
        ApiException refusal =
                status < HttpStatus.INTERNAL_SERVER_ERROR_500 || status == HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505
                        ? ApiException.badRequest(message)
                        : internal();
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        JettyExchange.protect(response.getHeaders());
        response.write(true, ByteBuffer.wrap(Json.bytes(refusal.error())), callback);
        return true;
    }

    private static ApiException internal() {
        return ApiException.of(500, "INTERNAL", "Berth failed at this; the server's log says how");
    }
}
