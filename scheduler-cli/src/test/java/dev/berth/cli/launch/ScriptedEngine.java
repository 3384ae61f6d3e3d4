package dev.berth.cli.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A Docker Engine without containers and images: as much of its API as a server asks at its start. */
final class ScriptedEngine implements AutoCloseable {
    private static final String STREAM =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final CountDownLatch closed = new CountDownLatch(1);
    private final ServerSocketChannel listener;

    ScriptedEngine(Path socket) throws IOException {
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = listener.accept();
                Thread.ofPlatform().daemon().start(() -> answer(connection));
            }
        } catch (IOException over) {
            return;
        }
    }

    private void answer(SocketChannel connection) {
        try (connection;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(connection), StandardCharsets.US_ASCII));
                OutputStream out = Channels.newOutputStream(connection)) {
            String request = in.readLine();
            if (request == null) {
                return;
            }
            skipHeaders(in);
            out.write(to(request).getBytes(StandardCharsets.UTF_8));
            out.flush();
            if (request.contains("/events")) {
                closed.await();
            }
        } catch (IOException gone) {
            return;
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    /** None of them changes the answer. */
    private static void skipHeaders(BufferedReader in) throws IOException {
        String line = in.readLine();
        while (line != null && !line.isEmpty()) {
            line = in.readLine();
        }
    }

    private static String to(String request) {
        if (request.contains("/events")) {
            return STREAM;
        }
        if (request.contains("/version")) {
            return json(200, "{\"Version\": \"20.10.24\", \"ApiVersion\": \"1.41\", \"MinAPIVersion\": \"1.12\"}");
        }
        if (request.contains("/info")) {
            return json(
                    200,
                    "{\"Runtimes\": {\"runc\": {\"path\": \"runc\"}}, \"MemTotal\": 8589934592, \"NCPU\": 2,"
                            + " \"DockerRootDir\": \"/var/lib/docker\"}");
        }
        return request.contains("/containers/json")
                ? json(200, "[]")
                : json(404, "{\"message\": \"there is nothing here\"}");
    }

    private static String json(int status, String body) {
        return "HTTP/1.1 " + status + " So\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
    }
}
