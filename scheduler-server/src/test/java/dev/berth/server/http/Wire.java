package dev.berth.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.server.fuzz.ApiDescription;
import dev.berth.server.fuzz.ApiDescription.Operation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One connection and one request over it, as bytes: what the command line's client does, without its help. An answer
 * with a status that {@code docs/api/openapi.yaml} does not have for its route is a failure, whatever a test looks at.
 */
final class Wire implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<Operation> DESCRIBED = ApiDescription.read().operations();

    /** What any route may answer; the introduction of the description has them. */
    private static final Set<String> OF_ALL_ROUTES =
            Set.of("BAD_REQUEST", "TOKEN_NOT_TAKEN", "FOREIGN_HOST", "FOREIGN_ORIGIN", "TOO_MANY_CONNECTIONS");

    private final SocketChannel channel;
    private final InputStream in;
    private int status;
    private final Map<String, String> headers = new TreeMap<>();

    /** A whole answer. */
    record Answer(int status, Map<String, String> headers, String text) {
        JsonNode json() {
            try {
                return JSON.readTree(text);
            } catch (IOException e) {
                throw new UncheckedIOException("not JSON: " + text, e);
            }
        }

        String code() {
            return json().path("code").asText();
        }

        String message() {
            return json().path("message").asText();
        }
    }

    private Wire(SocketAddress address) throws IOException {
        channel = SocketChannel.open(address);
        in = Channels.newInputStream(channel);
    }

    static Answer get(Path socket, String target) {
        return ask(UnixDomainSocketAddress.of(socket), "GET", target, new byte[0]);
    }

    static Answer post(Path socket, String target, String body) {
        return ask(UnixDomainSocketAddress.of(socket), "POST", target, body.getBytes(StandardCharsets.UTF_8));
    }

    static Answer ask(SocketAddress address, String method, String target, byte[] body) {
        return ask(address, method, target, body, "Host: " + host(address));
    }

    /** The same with other headers; the name of the host is among them. */
    static Answer ask(SocketAddress address, String method, String target, byte[] body, String... headers) {
        String head = "%s %s HTTP/1.1\r\n%s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                .formatted(method, target, String.join("\r\n", headers), body.length);
        return described(method, target, raw(address, head, body));
    }

    private static Answer described(String method, String target, Answer answer) {
        String path = target.replaceFirst("\\?.*", "");
        for (Operation operation : DESCRIBED) {
            if (operation.isAsked(method, path)
                    && !operation.statuses().contains(answer.status())
                    && !OF_ALL_ROUTES.contains(answer.code())) {
                throw new AssertionError("docs/api/openapi.yaml has " + operation.statuses() + " for "
                        + operation.name() + ", and the answer is " + answer);
            }
        }
        return answer;
    }

    static String host(SocketAddress address) {
        return address instanceof InetSocketAddress tcp ? "127.0.0.1:" + tcp.getPort() : "berth";
    }

    /** Sends bytes as they are. */
    static Answer raw(SocketAddress address, String head, byte[] body) {
        try (Wire wire = new Wire(address)) {
            wire.send(head.getBytes(StandardCharsets.ISO_8859_1));
            try {
                wire.send(body);
            } catch (IOException e) {
                // A server that has said no does not read on; its answer is here.
            }
            wire.readHead();
            return new Answer(
                    wire.status, wire.headers, new String(wire.body().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks for something that goes on; read by {@link #line()} or {@link #rest()}. */
    static Wire open(Path socket, String target, String... headers) {
        try {
            Wire wire = new Wire(UnixDomainSocketAddress.of(socket));
            StringBuilder head = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: berth\r\n");
            for (String header : headers) {
                head.append(header).append("\r\n");
            }
            wire.send(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            wire.readHead();
            wire.following = wire.body();
            return wire;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InputStream following = InputStream.nullInputStream();

    int status() {
        return status;
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    /** The next line of what goes on; waits for it. */
    String line() throws IOException {
        return line(following);
    }

    /** That many bytes of what goes on; waits for them. */
    String text(int length) throws IOException {
        return new String(following.readNBytes(length), StandardCharsets.UTF_8);
    }

    byte[] bytes(int length) throws IOException {
        return following.readNBytes(length);
    }

    /** The other side sees the end of what this one sends, as when it is gone. */
    void endSending() throws IOException {
        channel.shutdownOutput();
    }

    /** Reads what there is until the other side ends it, or has said very much. */
    boolean isEnded() {
        try {
            in.skipNBytes(1 << 16);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** All until the other side ends it. */
    String rest() throws IOException {
        return new String(following.readAllBytes(), StandardCharsets.UTF_8);
    }

    private void send(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private void readHead() throws IOException {
        status = Integer.parseInt(line(in).split(" ")[1]);
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
    }

    private InputStream body() throws IOException {
        if (header("transfer-encoding").equalsIgnoreCase("chunked")) {
            return new Chunks(in);
        }
        String length = header("content-length");
        return length.isEmpty() ? in : new ByteArrayInputStream(in.readNBytes(Integer.parseInt(length)));
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the other side ended in the middle of: " + line);
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** A chunked body (RFC 9112, 7.1). The end of a chunk's line may come as late as the next chunk. */
    private static final class Chunks extends InputStream {
        private final InputStream in;
        private int left;
        private boolean begun;
        private boolean ended;

        Chunks(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (left == 0 && !ended) {
                nextChunk();
            }
            if (ended) {
                return -1;
            }
            int count = in.read(bytes, offset, Math.min(length, left));
            if (count < 0) {
                throw new EOFException("the other side ended in the middle of a chunk");
            }
            left -= count;
            return count;
        }

        private void nextChunk() throws IOException {
            if (begun) {
                requireEnd();
            }
            begun = true;
            left = Integer.parseInt(line(in), 16);
            ended = left == 0;
            if (ended) {
                requireEnd();
            }
        }

        private void requireEnd() throws IOException {
            String end = line(in);
            if (!end.isEmpty()) {
                throw new IOException("an odd end of a chunk: " + end);
            }
        }
    }
}
