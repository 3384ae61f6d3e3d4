package dev.berth.testclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestClientTest {
    private static final String CHUNKED = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String CHUNKS =
            "6\r\n{\"a\":1\r\n3\r\n,\"b\r\n5\r\n\":\"\u00c3\u00a9\r\n2\r\n\"}\r\n0\r\n\r\n";

    @TempDir
    private Path directory;

    private final AtomicInteger names = new AtomicInteger();

    /** A server that says this to the one who comes first, and closes. */
    private UnixDomainSocketAddress saying(String text) throws IOException {
        UnixDomainSocketAddress address =
                UnixDomainSocketAddress.of(directory.resolve("socket" + names.incrementAndGet()));
        ServerSocketChannel server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        Thread.ofVirtual().start(() -> {
            try (server;
                    SocketChannel one = server.accept()) {
                one.read(ByteBuffer.allocate(1 << 10));
                one.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return address;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                CHUNKED + CHUNKS,
                "HTTP/1.1 201 Created\r\nContent-Length: 16\r\n\r\n{\"a\":1,\"b\":\"\u00c3\u00a9\"}",
                "HTTP/1.1 201 Created\r\nConnection: close\r\n\r\n{\"a\":1,\"b\":\"\u00c3\u00a9\"}"
            })
    void whatCameWholeIsRead(String text) throws IOException {
        assertThat(TestClient.ask(saying(text), "GET", "/", new byte[0])
                        .expect(201)
                        .text())
                .isEqualTo("{\"a\":1,\"b\":\"\u00e9\"}");
        assertThat(TestClient.raw(saying(text), "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII), true)
                        .expect(201)
                        .text())
                .isEqualTo("{\"a\":1,\"b\":\"\u00e9\"}");
    }

    /** A server that is killed leaves its answer where it stood. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 30, 58, 62, 66, 70, 80, 88})
    void whatBrokeOffIsNoAnswer(int bytes) throws IOException {
        UnixDomainSocketAddress server = saying((CHUNKED + CHUNKS).substring(0, bytes));
        assertThatThrownBy(() -> TestClient.ask(server, "GET", "/", new byte[0]))
                .isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void whatBrokeOffIsNoAnswerToRawBytesEither() throws IOException {
        UnixDomainSocketAddress server = saying(CHUNKED + "6\r\n{\"a\"");
        assertThatThrownBy(() -> TestClient.raw(server, new byte[] {'x'}, true))
                .isInstanceOf(UncheckedIOException.class);
    }
}
