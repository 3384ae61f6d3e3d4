package dev.berth.hostile;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.JsonReading;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A registry of somebody's own on this machine, to which the engine speaks without TLS. */
final class HostileRegistry implements AutoCloseable {
    private final int port;
    private final Runnable end;

    private HostileRegistry(int port, Runnable end) {
        this.port = port;
        this.end = end;
    }

    /** Takes each connection and never says a word. */
    static HostileRegistry silent() {
        return of(_ -> {});
    }

    /** What is done with a connection. */
    @FunctionalInterface
    private interface Answer {
        void give(Socket socket) throws IOException;
    }

    private static HostileRegistry of(Answer answer) {
        try {
            ServerSocket socket = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
            Queue<Socket> taken = new ConcurrentLinkedQueue<>();
            Thread.ofVirtual().start(() -> take(socket, taken, answer));
            return new HostileRegistry(socket.getLocalPort(), () -> {
                quietly(socket);
                taken.forEach(HostileRegistry::quietly);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void take(ServerSocket socket, Queue<Socket> taken, Answer answer) {
        try {
            while (true) {
                Socket one = socket.accept();
                taken.add(one);
                Thread.ofVirtual().start(() -> {
                    try {
                        answer.give(one);
                    } catch (IOException e) {
                        // The engine has given it up.
                        quietly(one);
                    }
                });
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private static void quietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Refuses each image with these words, after so long; it knows no TLS. */
    static HostileRegistry saying(String words, Duration after) {
        byte[] refusal = JsonReading.text(Map.of("errors", List.of(Map.of("code", "UNSUPPORTED", "message", words))))
                .getBytes(StandardCharsets.UTF_8);
        return of(socket -> {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            String asked = String.valueOf(in.readLine());
            boolean isHello = asked.startsWith("GET /v2/ ");
            if (isHello || asked.contains("/manifests/")) {
                for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                    // The headers are of no interest.
                }
                Await.moment(isHello ? Duration.ZERO : after);
                byte[] body = isHello || asked.startsWith("HEAD") ? new byte[0] : refusal;
                String head = "HTTP/1.1 " + (isHello ? "200 OK" : "400 Bad Request")
                        + "\r\nContent-Type: application/json\r\nDocker-Distribution-Api-Version: registry/2.0"
                        + "\r\nConnection: close\r\nContent-Length: " + body.length + "\r\n\r\n";
                socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
                socket.getOutputStream().write(body);
            }
            socket.close();
        });
    }

    /** An image of it. */
    String image(String name) {
        return "127.0.0.1:" + port + "/" + name + ":latest";
    }

    @Override
    public void close() {
        end.run();
    }
}
