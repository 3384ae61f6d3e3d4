package dev.berth.cli.client.http;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which an answer has been read to its end, and the next request may go (RFC 9112, 9.3). One that stays
 * unused is closed by its own idle watch, or by the server. Safe for use by any thread.
 */
public final class KeptConnection {
    private final AtomicReference<@Nullable HttpExchange> kept = new AtomicReference<>();

    /** The connection for a request that may be sent again where the server has closed meanwhile; null where there is none. */
    @Nullable
    public HttpExchange take(HttpRequest request) {
        return request.method().equals("GET") ? kept.getAndSet(null) : null;
    }

    /** Keeps the connection for the next request, or closes it where there is one already or the server will go on no more. */
    public void put(HttpExchange exchange, HttpHead head) throws IOException {
        if ("close".equalsIgnoreCase(head.header("connection")) || !kept.compareAndSet(null, exchange)) {
            exchange.close();
        }
    }
}
