package dev.berth.cli.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that knows of nothing, and counts who asks. */
final class RefusingServer implements AutoCloseable {
    private static final String BODY = "{\"code\":\"NOT_FOUND\",\"message\":\"there is no such thing\",\"details\":{}}";
    private static final byte[] ANSWER =
            ("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                            + BODY.length() + "\r\n\r\n" + BODY)
                    .getBytes(StandardCharsets.US_ASCII);

    private final ServerSocketChannel listener;
    private final AtomicInteger asked = new AtomicInteger();

    RefusingServer(Path socket) throws IOException {
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(socket));
        Thread _ = Thread.ofPlatform().daemon().start(this::accept);
    }

    int asked() {
        return asked.get();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel guest = listener.accept();
                asked.incrementAndGet();
                Thread _ = Thread.ofVirtual().start(() -> answer(guest));
            }
        } catch (IOException closed) {
            return;
        }
    }

    private static void answer(SocketChannel guest) {
        try (guest;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(Channels.newInputStream(guest), StandardCharsets.ISO_8859_1))) {
            String line = in.readLine();
            while (line != null && !line.isEmpty()) {
                line = in.readLine();
            }
            ByteBuffer answer = ByteBuffer.wrap(ANSWER);
            while (answer.hasRemaining()) {
                int written = guest.write(answer);
                assert written >= 0;
            }
            // Whoever still sends something finds nobody gone.
            int sent = in.read();
            while (sent >= 0) {
                sent = in.read();
            }
        } catch (IOException gone) {
            return;
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
