package dev.berth.server.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** Bytes that are no request of HTTP's, or hardly: made from one, or from nothing. */
public final class BrokenBytes {
    private static final List<String> WHOLE = List.of(
            "\r\n\r\n\r\n",
            "GET / HTTP/9.9\r\nHost: berth\r\n\r\n",
            "GET /api/v1/health\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
            "GET http://other.example/api/v1/server HTTP/1.1\r\nHost: berth\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: berth\r\n\r\n",
            "CONNECT berth:80 HTTP/1.1\r\nHost: berth\r\n\r\n",
            "GET /api/v1/health HTTP/1.1\r\n\r\n",
            "GET /api/v1/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /api/v1/health HTTP/1.1\r\nHost: berth\r\n folded: x\r\n\r\n",
            "GET /api/v1/health HTTP/1.1\nHost: berth\n\n",
            "GET  /api/v1/health  HTTP/1.1\r\nHost: berth\r\n\r\n",
            "GET /api/v1/health?\u00ff HTTP/1.1\r\nHost: berth\r\n\r\n",
            "*3\r\n$3\r\nSET\r\n");
    private static final List<String> PIECES = List.of(
            "\r\n",
            "\n",
            "\r",
            "\0",
            " ",
            ":",
            "\u00ff",
            "%ff",
            "Content-Length: 5\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 99999999999999999999\r\n",
            "Transfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked, identity\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "ffffffffffffffff\r\n",
            "-1\r\n",
            "0\r\nTrailer: x\r\n\r\n",
            "5;ext=\"\r\nabc",
            "Expect: 200-ok\r\n",
            "HTTP/1.0");

    private final SplittableRandom random;
    private final HostileText texts;

    public BrokenBytes(SplittableRandom random) {
        this.random = random;
        this.texts = new HostileText(random);
    }

    public HostileRequest of(HostileRequest request) {
        byte[] bytes = texts.chance(0.1)
                ? texts.pick(WHOLE).getBytes(StandardCharsets.ISO_8859_1)
                : texts.chance(0.05) ? noise() : broken(request.bytes());
        return new HostileRequest(request.operation(), bytes, false, false, true);
    }

    private byte[] noise() {
        byte[] bytes = new byte[1 + random.nextInt(400)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] broken(byte[] request) {
        byte[] bytes = request;
        for (int i = 1 + random.nextInt(3); i > 0 && bytes.length > 0; i--) {
            bytes = once(bytes);
        }
        return bytes;
    }

    private byte[] once(byte[] bytes) {
        int at = random.nextInt(bytes.length);
        int end = Math.min(bytes.length, at + 1 + random.nextInt(20));
        return switch (random.nextInt(8)) {
            case 0 -> joined(bytes, at, new byte[0], bytes.length);
            case 1 -> joined(bytes, at, new byte[0], end);
            case 2 -> joined(bytes, at, new byte[] {(byte) random.nextInt(256)}, at + 1);
            case 3 -> joined(bytes, end, bytes, at);
            case 4 -> {
                int line = lineFrom(bytes, at);
                yield joined(bytes, line, ascii("X" + "x".repeat(random.nextInt(20_000)) + ": y\r\n"), line);
            }
            case 5 -> {
                int line = lineFrom(bytes, at);
                yield joined(bytes, line, ascii(texts.pick(PIECES)), line);
            }
            default -> joined(bytes, at, ascii(texts.pick(PIECES)), at);
        };
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static int lineFrom(byte[] bytes, int at) {
        for (int i = at; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                return i + 1;
            }
        }
        return bytes.length;
    }

    /** The beginning, something, and what stands from the second place on. */
    private static byte[] joined(byte[] bytes, int to, byte[] between, int from) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(bytes, 0, to);
        all.writeBytes(between);
        all.write(bytes, from, bytes.length - from);
        return all.toByteArray();
    }
}
