package dev.berth.hostile;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** A registry of somebody's own on this machine, to which the engine speaks without TLS. */
final class HostileRegistry implements AutoCloseable {
    private static final String MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
    private static final int MEGABYTE = 1_000_000;
    private static final long GIGABYTE = 1_000_000_000;

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
        byte[] refusal = Json.text(Map.of("errors", List.of(Map.of("code", "UNSUPPORTED", "message", words))))
                .getBytes(StandardCharsets.UTF_8);
        return of(socket -> {
            String asked = request(socket);
            boolean isHello = asked.startsWith("GET /v2/ ");
            if (isHello || asked.contains("/manifests/")) {
                Await.moment(isHello ? Duration.ZERO : after);
                byte[] body = isHello || asked.startsWith("HEAD") ? new byte[0] : refusal;
                answer(socket, isHello ? "200 OK" : "400 Bad Request", "application/json", body.length);
                socket.getOutputStream().write(body);
            }
            socket.close();
        });
    }

    /**
     * Has each image, in one layer of a gigabyte, of which it brings a megabyte every other second.
     *
     * @param begun counts the layers that it is asked for
     */
    static HostileRegistry dripping(CountDownLatch begun) {
        return of(socket -> {
            String asked = request(socket);
            String name = asked.replaceFirst(".*/v2/(\\w*)/.*", "$1");
            String layer = "sha256:" + sha256(name);
            String config = Json.text(Map.of(
                    "architecture",
                    "amd64",
                    "os",
                    "linux",
                    "rootfs",
                    Map.of("type", "layers", "diff_ids", List.of(layer))));
            String manifest = Json.text(Map.of(
                    "schemaVersion",
                    2,
                    "mediaType",
                    MANIFEST,
                    "config",
                    blob("container.image.v1+json", config.length(), "sha256:" + sha256(config)),
                    "layers",
                    List.of(blob("image.rootfs.diff.tar.gzip", GIGABYTE, layer))));
            if (asked.contains("/manifests/")) {
                answer(socket, "200 OK", MANIFEST, manifest.length());
                write(socket, asked.startsWith("HEAD") ? "" : manifest);
            } else if (asked.contains(sha256(config))) {
                answer(socket, "200 OK", "application/octet-stream", config.length());
                write(socket, config);
            } else if (asked.contains("/blobs/")) {
                begun.countDown();
                answer(socket, "200 OK", "application/octet-stream", GIGABYTE);
                for (long left = GIGABYTE; left > 0; left -= MEGABYTE) {
                    socket.getOutputStream().write(new byte[MEGABYTE]);
                    Await.moment(Duration.ofSeconds(2));
                }
            } else if (!asked.isEmpty()) {
                answer(socket, "200 OK", "application/json", 0);
            }
            socket.close();
        });
    }

    private static Map<String, Object> blob(String type, long size, String digest) {
        return Map.of("mediaType", "application/vnd.docker." + type, "size", size, "digest", digest);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Its first line, empty where it is no HTTP: the engine tries TLS first. Its headers are of no interest. */
    private static String request(Socket socket) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        String asked = String.valueOf(in.readLine());
        if (!asked.endsWith(" HTTP/1.1")) {
            return "";
        }
        String line = asked;
        while (line != null && !line.isEmpty()) {
            line = in.readLine();
        }
        return asked;
    }

    private static void answer(Socket socket, String status, String type, long length) throws IOException {
        String head = "HTTP/1.1 " + status + "\r\nContent-Type: " + type
                + "\r\nDocker-Distribution-Api-Version: registry/2.0\r\nConnection: close\r\nContent-Length: " + length
                + "\r\n\r\n";
        write(socket, head);
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
