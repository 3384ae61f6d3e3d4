package dev.berth.cli.client.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request and its answer on a connection of their own. For one thread; closing it closes the connection, which is
 * also how an answer that never ends is left.
 */
public final class HttpExchange implements Closeable {
    /**
     * The time that the server is given to move something: take a part of the body, or answer. A big body is long in
     * the making.
     */
    public static final Duration IDLE_LIMIT = Duration.ofSeconds(60);

    /** At the Unix socket it has no meaning, but must be there. */
    private static final String LOCAL_HOST = "berth";

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int MAX_BODY_BYTES = 32 * 1024 * 1024;

    private final ByteChannel channel;
    private final IdleTimeout watch;
    private final InputStream in;

    private HttpExchange(ByteChannel channel, IdleTimeout watch) {
        this.channel = channel;
        this.watch = watch;
        this.in = new BufferedInputStream(new Received(), BUFFER_BYTES);
    }

    public static HttpExchange open(Path socket, Duration idleLimit) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException unreachable) {
            channel.close();
            throw new ServerUnreachable(socket, unreachable);
        }
        return new HttpExchange(channel, IdleTimeout.start(channel, idleLimit));
    }

    /** Over a connection that is there already. */
    public static HttpExchange over(ByteChannel channel, Duration idleLimit) {
        return new HttpExchange(channel, IdleTimeout.start(channel, idleLimit));
    }

    /** Sends the request and reads the answer's head; the body is still to come. */
    public HttpHead send(HttpRequest request, String userAgent) throws IOException {
        return send(request, userAgent, LOCAL_HOST, null);
    }

    /** Sends the request with the name by which the server is called and a token for it. */
    public HttpHead send(HttpRequest request, String userAgent, String host, @Nullable String token)
            throws IOException {
        OutputStream out = new Sent();
        out.write(request.opening(userAgent, host, token));
        RequestBody body = request.body();
        if (body != null) {
            try {
                ChunkedOutput chunks = new ChunkedOutput(out);
                body.writeTo(chunks);
                chunks.finish();
            } catch (IOException refused) {
                return refusal(refused);
            }
        }
        return HttpHead.read(in);
    }

    /** A server that refuses a body closes before it has taken all of it; its answer may still be there to read. */
    private HttpHead refusal(IOException broken) throws IOException {
        try {
            return HttpHead.read(in);
        } catch (IOException nothing) {
            broken.addSuppressed(nothing);
            throw broken;
        }
    }

    /** The whole body, where it is of a bounded size. */
    public byte[] whole(HttpHead head) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        byte[] part = new byte[BUFFER_BYTES];
        InputStream body = head.body(in);
        for (int count = body.read(part); count >= 0; count = body.read(part)) {
            if (whole.size() + count > MAX_BODY_BYTES) {
                throw new ProtocolException("an answer of more than " + MAX_BODY_BYTES + " bytes");
            }
            whole.write(part, 0, count);
        }
        return whole.toByteArray();
    }

    /** The body as it comes; from here on the server may be silent for as long as it likes. */
    public InputStream stream(HttpHead head) throws IOException {
        watch.close();
        return head.body(in);
    }

    @Override
    public void close() throws IOException {
        watch.close();
        channel.close();
    }

    private IOException explained(ClosedChannelException closed) {
        return watch.isExpired()
                ? new SocketTimeoutException("it does not answer (" + IDLE_LIMIT.toSeconds() + " s without a sign)")
                : closed;
    }

    /** The bytes that come in; each piece counts as a sign of life. */
    private final class Received extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            try {
                int count = channel.read(ByteBuffer.wrap(target, from, length));
                watch.moved();
                return count;
            } catch (ClosedChannelException closed) {
                throw explained(closed);
            }
        }
    }

    /** The bytes that go out. */
    private final class Sent extends OutputStream {
        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] source, int from, int length) throws IOException {
            try {
                ByteBuffer piece = ByteBuffer.wrap(source, from, length);
                while (piece.hasRemaining()) {
                    channel.write(piece);
                    watch.moved();
                }
            } catch (ClosedChannelException closed) {
                throw explained(closed);
            }
        }
    }
}
