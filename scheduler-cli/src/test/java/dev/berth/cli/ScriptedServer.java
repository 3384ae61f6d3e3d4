package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.json.JsonText;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.LogFrame;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/**
 * A server on a Unix socket, or on TCP, that answers each request line with the bytes laid out for it, in their order. The
 * connection is closed then, or takes the next request after an answer by {@link #json}. A request nobody expects, and an answer nobody fetches, fail the test at {@link #close}.
 */
public final class ScriptedServer implements AutoCloseable {
    /**
     * What came in.
     *
     * @param body a character for each byte
     */
    public record Received(String line, Map<String, String> headers, String body) {
        public byte[] bytes() {
            return body.getBytes(StandardCharsets.ISO_8859_1);
        }

        public String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }
    }

    /** Where connections come from. */
    private interface Listener extends Closeable {
        Connection accept() throws IOException;
    }

    private record Connection(InputStream in, OutputStream out, Closeable whole) {}

    /** Answered before the body has come, which is left unread. */
    private static final int TOO_LARGE = 413;

    private final Listener listener;
    private final int port;
    private final Map<String, Deque<byte[]>> answers = new HashMap<>();
    private final Set<byte[]> held = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<byte[]> goingOn = Collections.newSetFromMap(new IdentityHashMap<>());
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Received> received = Collections.synchronizedList(new ArrayList<>());
    private final List<String> unexpected = Collections.synchronizedList(new ArrayList<>());

    private final Thread accepting;
    private volatile boolean isClosed;

    private ScriptedServer(Listener listener, int port) {
        this.listener = listener;
        this.port = port;
        this.accepting = Thread.ofPlatform().daemon().start(this::accept);
    }

    public static ScriptedServer at(Path socket) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(socket));
        return of(channel, 0);
    }

    /** One on a free port of this machine. */
    public static ScriptedServer onTcp() throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return of(channel, channel.socket().getLocalPort());
    }

    private static ScriptedServer of(ServerSocketChannel channel, int port) {
        return new ScriptedServer(
                new Listener() {
                    @Override
                    public Connection accept() throws IOException {
                        SocketChannel connection = channel.accept();
                        return new Connection(
                                Channels.newInputStream(connection), Channels.newOutputStream(connection), connection);
                    }

                    @Override
                    public void close() throws IOException {
                        channel.close();
                    }
                },
                port);
    }

    /** The same with TLS. */
    public static ScriptedServer onTls(SSLContext context) throws IOException {
        ServerSocket server =
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        return new ScriptedServer(
                new Listener() {
                    @Override
                    public Connection accept() throws IOException {
                        Socket socket = server.accept();
                        return new Connection(socket.getInputStream(), socket.getOutputStream(), socket);
                    }

                    @Override
                    public void close() throws IOException {
                        server.close();
                    }
                },
                server.getLocalPort());
    }

    public int port() {
        return port;
    }

    /** Raw bytes for a request line such as {@code GET /api/v1/server}. */
    public ScriptedServer on(String line, String raw) {
        return on(line, raw.getBytes(StandardCharsets.ISO_8859_1));
    }

    private synchronized ScriptedServer on(String line, byte[] raw) {
        answers.computeIfAbsent(line, _ -> new ArrayDeque<>()).add(raw);
        return this;
    }

    public ScriptedServer json(String line, int status, Record value) {
        return json(line, status, JsonText.of(value));
    }

    /** An answer that is this JSON, behind which the connection goes on. */
    public synchronized ScriptedServer json(String line, int status, String value) {
        byte[] body = value.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        raw.writeBytes(("HTTP/1.1 " + status + " So\r\nContent-Type: application/json\r\nContent-Length: " + body.length
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        raw.writeBytes(body);
        byte[] whole = raw.toByteArray();
        if (status != TOO_LARGE) {
            goingOn.add(whole);
        }
        return on(line, whole);
    }

    /** A stream of events; {@code ended} tells whether it ends in good order. */
    public ScriptedServer events(long job, boolean ended, JobEventView... events) {
        return on("GET /api/v1/jobs/" + job + "/events", chunked("text/event-stream", ended, stream(events)));
    }

    private static String stream(JobEventView... events) {
        StringBuilder body = new StringBuilder(": keep-alive\n\n");
        for (JobEventView event : events) {
            body.append("id: ").append(event.sequence()).append("\nevent: ").append(event.event());
            body.append("\ndata: ").append(JsonText.of(event)).append("\n\n");
        }
        return body.toString();
    }

    /** A stream of one event that is this JSON, for a request line with its query. */
    public ScriptedServer eventJson(String line, String event) {
        return on(line, chunked("text/event-stream", true, "id: 1\nevent: Something\ndata: " + event + "\n\n"));
    }

    /** A stream of all jobs' events that does not end before the client leaves it. */
    public synchronized ScriptedServer openEvents(String line, JobEventView... events) {
        on(line, chunked("text/event-stream", false, stream(events)));
        Deque<byte[]> waiting = answers.getOrDefault(line, new ArrayDeque<>());
        held.add(waiting.getLast());
        return this;
    }

    /** A stream of all jobs' events, for a request line with its query. */
    public ScriptedServer allEvents(String line, boolean ended, JobEventView... events) {
        return on(line, chunked("text/event-stream", ended, stream(events)));
    }

    public ScriptedServer log(long job, long offset, boolean follow, boolean ended, String text) {
        String frames = text.isEmpty() ? "" : frame(offset, LogFrame.STDOUT, text);
        return log(job, "offset=" + offset + "&follow=" + follow, ended, frames);
    }

    /** The answer to another query, with headers where some are wanted. */
    public ScriptedServer log(long job, String query, boolean ended, String frames, String... headers) {
        String type =
                "application/vnd.berth.log-frames" + (headers.length == 0 ? "" : "\r\n") + String.join("\r\n", headers);
        return on("GET /api/v1/jobs/" + job + "/log?format=frames&" + query, chunked(type, ended, frames));
    }

    /** A piece of a log with its frame, a character for each byte; each arrives a second after the one before. */
    public static String frame(long offset, int stream, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] head = new byte[LogFrame.BYTES];
        new LogFrame(offset, 1_000 * offset, stream, bytes.length).put(head);
        return new String(head, StandardCharsets.ISO_8859_1) + new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** A chunked answer, cut into small chunks; without its last one where it is not {@code ended}. */
    public static String chunked(String type, boolean ended, String body) {
        StringBuilder raw = new StringBuilder(
                "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int from = 0; from < body.length(); from += 7) {
            String chunk = body.substring(from, Math.min(body.length(), from + 7));
            raw.append(Integer.toHexString(chunk.length()))
                    .append("\r\n")
                    .append(chunk)
                    .append("\r\n");
        }
        return raw.append(ended ? "0\r\n\r\n" : "").toString();
    }

    /** How many connections there were so far. */
    public int connections() {
        return connections.get();
    }

    public List<Received> received() {
        return List.copyOf(received);
    }

    /** The one request that came with this line. */
    public Received received(String line) {
        List<Received> found = received().stream()
                .filter(request -> request.line().equals(line))
                .toList();
        assertThat(found).as(line).hasSize(1);
        return found.getFirst();
    }

    private void accept() {
        try {
            while (true) {
                Connection connection = listener.accept();
                if (isClosed) {
                    connection.whole().close();
                    return;
                }
                connections.incrementAndGet();
                Thread.ofPlatform().daemon().start(() -> answer(connection));
            }
        } catch (IOException closed) {
            return;
        }
    }

    private void answer(Connection connection) {
        try (Closeable _ = connection.whole()) {
            InputStream in = connection.in();
            byte[] raw = answerOne(in, connection.out());
            while (isAmong(goingOn, raw)) {
                raw = answerOne(in, connection.out());
            }
            if (isAmong(held, raw)) {
                int left = in.read();
                assertThat(left).isNegative();
            }
        } catch (IOException gone) {
            return;
        }
    }

    private byte[] answerOne(InputStream in, OutputStream out) throws IOException {
        String first = line(in);
        String line = first.substring(0, Math.max(0, first.lastIndexOf(' ')));
        byte[] raw = next(line);
        Map<String, String> headers = headers(in);
        if (!new String(raw, StandardCharsets.ISO_8859_1).startsWith("HTTP/1.1 " + TOO_LARGE)) {
            received.add(new Received(line, headers, new String(body(in, headers), StandardCharsets.ISO_8859_1)));
        }
        out.write(raw);
        out.flush();
        return raw;
    }

    private synchronized boolean isAmong(Set<byte[]> some, byte[] raw) {
        return some.contains(raw);
    }

    private synchronized byte[] next(String line) {
        Deque<byte[]> waiting = answers.get(line);
        byte[] raw = waiting == null ? null : waiting.poll();
        if (raw == null) {
            unexpected.add(line);
            return "HTTP/1.1 418 Unexpected\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        }
        return raw;
    }

    private static Map<String, String> headers(InputStream in) throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            String[] parts = line.split(": ", 2);
            headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
        }
        return headers;
    }

    private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
        if (headers.containsKey("content-length")) {
            return in.readNBytes(Integer.parseInt(headers.get("content-length")));
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (headers.containsKey("transfer-encoding")) {
            for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
                body.writeBytes(in.readNBytes(size));
                assertThat(line(in)).isEmpty();
            }
            assertThat(line(in)).isEmpty();
        }
        return body.toByteArray();
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("cut off: " + line);
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public synchronized void close() throws IOException {
        isClosed = true;
        listener.close();
        try {
            // A listener that somebody waits at is closed once they are gone; until then it takes guests.
            accepting.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        assertThat(unexpected).as("unexpected requests").isEmpty();
        answers.forEach(
                (line, left) -> assertThat(left).as("answers left for " + line).isEmpty());
    }
}
