package dev.berth.testclient;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;

/** An answer that goes on, read as slowly as the test likes: what is not read stays with the server. For one thread. */
public final class Following implements AutoCloseable {
    private final Request request;
    private final Response head;
    private final InputStream body;

    Following(Request request, Response head, InputStream body) {
        this.request = request;
        this.head = head;
        // Jetty's waits for more where nothing at all is asked for, as readNBytes does last.
        this.body = new BufferedInputStream(body);
    }

    public int status() {
        return head.getStatus();
    }

    public String header(String name) {
        return Answer.named(head.getHeaders()).getOrDefault(name, "");
    }

    /** The next line; waits for it. */
    public String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = body.read(); c != '\n'; c = body.read()) {
            if (c < 0) {
                throw new EOFException("the other side ended in the middle of: " + line);
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** That many bytes; waits for them. */
    public byte[] bytes(int length) throws IOException {
        return body.readNBytes(length);
    }

    /** All until the other side ends it. */
    public String rest() throws IOException {
        return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        var _ = request.abort(new CancellationException());
    }
}
