package dev.berth.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Fields;

/** A request of Jetty's. */
record JettyExchange(Request request, Response response, Optional<Caller> caller) implements Exchange {
    private static final int UNWANTED_BYTES = 1 << 13;

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

    @Override
    public Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeaders().get(name));
    }

    @Override
    public InputStream body() {
        return Content.Source.asInputStream(request);
    }

    @Override
    public OutputStream answer(int status, String contentType) throws IOException {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        return Content.Sink.asOutputStream(response);
    }

    @Override
    public void answerHeader(String name, String value) {
        response.getHeaders().put(name, value);
    }

    @Override
    public boolean isGone() {
        Object transport =
                request.getConnectionMetaData().getConnection().getEndPoint().getTransport();
        // Jetty reads no more until the answer is complete. Its channels do not block: 0 means that all is quiet.
        if (!(transport instanceof SocketChannel channel) || channel.isBlocking()) {
            return false;
        }
        try {
            return channel.read(ByteBuffer.allocate(UNWANTED_BYTES)) < 0;
        } catch (IOException e) {
            return true;
        }
    }
}
