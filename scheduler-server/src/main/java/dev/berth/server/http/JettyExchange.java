package dev.berth.server.http;

import dev.berth.server.http.access.Authentication;
import dev.berth.server.http.exchange.AnswerBrokenOff;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.log.Signal;
import dev.berth.server.store.Token;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Fields;

/** A request of Jetty's. */
record JettyExchange(Request request, Response response, JettyConnection connection, Authentication authentication)
        implements Exchange {
    private static final String ROUTE = "dev.berth.route";
    private static final String WENT_ON = "dev.berth.wentOn";

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        return Request.getPathInContext(request);
    }

    @Override
    public Optional<String> query(String name) {
        Fields.Field field = Request.extractQueryParameters(request).get(name);
        return Optional.ofNullable(field).map(Fields.Field::getValue);
    }

    /** Refuses a request whose query cannot be read; here, so that it is refused on every route in the same way. */
    void requireReadable() {
        try {
            var _ = Request.extractQueryParameters(request);
        } catch (IllegalArgumentException | IllegalStateException | HttpException.RuntimeException e) {
            // Jetty fails in several ways at what is no UTF-8, or no escape at all.
            throw ApiException.badRequest("the query cannot be read: what is behind a % must be two hexadecimal digits,"
                    + " and all of it UTF-8");
        }
    }

    /** The route that the request took so far. */
    static String route(Request request) {
        return request.getAttribute(ROUTE) instanceof String route ? route : Router.NONE;
    }

    /** Whether its answer went on for as long as somebody listened. */
    static boolean wentOn(Request request) {
        return request.getAttribute(WENT_ON) != null;
    }

    @Override
    public void took(String route) {
        request.setAttribute(ROUTE, route);
    }

    @Override
    public void goOn() {
        request.setAttribute(WENT_ON, true);
        var _ = connection.during(connection.times().stream(), "something was followed for as long as one may");
    }

    @Override
    public Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeaders().get(name));
    }

    @Override
    public Optional<Caller> caller() {
        return authentication.caller();
    }

    @Override
    public Optional<Token> token() {
        return authentication.token();
    }

    @Override
    public Optional<ApiException> refusal() {
        return authentication.refusal();
    }

    @Override
    public Optional<InetAddress> from() {
        return connection.address().map(InetSocketAddress::getAddress);
    }

    @Override
    public InputStream body() {
        return new JettyBody(
                Content.Source.asInputStream(request),
                connection,
                connection.times().body());
    }

    @Override
    public InputStream upload() {
        return new JettyBody(
                Content.Source.asInputStream(request),
                connection,
                connection.times().upload());
    }

    @Override
    public OutputStream answer(int status, String contentType) throws IOException {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        protect(response.getHeaders());
        return new JettyAnswer(Content.Sink.asOutputStream(response), connection);
    }

    /**
     * Sets the headers that keep browsers from keeping answers, guessing what they are, and showing them inside of
     * others' pages; what an answer says of itself stands.
     */
    static void protect(HttpFields.Mutable headers) {
        if (!headers.contains(HttpHeader.CACHE_CONTROL)) {
            headers.put(HttpHeader.CACHE_CONTROL, "no-store");
        }
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Referrer-Policy", "no-referrer");
        if (!headers.contains("Content-Security-Policy")) {
            headers.put("Content-Security-Policy", "frame-ancestors 'none'");
        }
    }

    @Override
    public void answerHeader(String name, String value) {
        response.getHeaders().put(name, value);
    }

    /** Whether the server stops is asked once {@code seen} is known, so that what is raised for it is not missed. */
    @Override
    public boolean awaitNews(Signal news, long seen, Duration patience) throws AnswerBrokenOff, InterruptedException {
        boolean isNew = awaitRest(news, seen, isStopping() ? Duration.ZERO : patience);
        if (!isNew && isStopping()) {
            throw new AnswerBrokenOff("the server stops");
        }
        return isNew;
    }

    @Override
    public boolean awaitRest(Signal rest, long seen, Duration patience) throws AnswerBrokenOff, InterruptedException {
        boolean isNew = rest.awaitBeyond(seen, patience);
        if (isAbandoned()) {
            throw new AnswerBrokenOff("the client is gone");
        }
        return isNew;
    }

    private boolean isStopping() {
        return request.getConnectionMetaData().getConnector().isShutdown();
    }

    /**
     * Looks for the end of what they send: a client that still listens sends nothing while it is answered. One that does
     * has a part of its next request taken from it, so that its connection must end.
     */
    private boolean isAbandoned() {
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        ByteBuffer unasked = BufferUtil.allocate(1);
        try {
            boolean abandoned = !endPoint.isOpen() || endPoint.fill(unasked) != 0;
            if (unasked.hasRemaining()) {
                connection.cut("something was sent while an answer went on");
            }
            return abandoned;
        } catch (IOException e) {
            return true;
        }
    }
}
