package dev.berth.server.fuzz;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A connection that many requests go over, several of them at once. For one thread. */
public final class FuzzConnection implements AutoCloseable {
    private static final int MAX_BODY_BYTES = 1 << 22;

    private final SocketChannel channel;
    private final InputStream in;
    private boolean isOpen = true;

    /**
     * What came back.
     *
     * @param isStream whether it goes on, and nobody listens any more
     */
    public record Answer(int status, Map<String, String> headers, String body, boolean isStream) {
        public String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    public FuzzConnection(SocketAddress address) throws IOException {
        channel = SocketChannel.open(address);
        in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 14);
    }

    public boolean isOpen() {
        return isOpen;
    }

    /** Sends all, and then reads as many answers as there are; fewer where the server ended the connection. */
    public List<Answer> exchange(List<HostileRequest> requests) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        requests.forEach(request -> all.writeBytes(request.bytes()));
        List<Answer> answers = new ArrayList<>();
        try {
            send(all.toByteArray());
            for (int i = 0; i < requests.size() && isOpen; i++) {
                answers.add(answer(requests.get(i)));
            }
        } catch (IOException ended) {
            // A server that has said no need not read on.
            close();
        }
        return answers;
    }

    /** Sends bytes and no more, and answers all that comes back until the server ends it. */
    public String shout(byte[] bytes) {
        ByteArrayOutputStream back = new ByteArrayOutputStream();
        try {
            send(bytes);
            channel.shutdownOutput();
            byte[] piece = new byte[1 << 13];
            for (int count = in.read(piece); count >= 0 && back.size() < MAX_BODY_BYTES; count = in.read(piece)) {
                back.write(piece, 0, count);
            }
        } catch (IOException reset) {
            return back.toString(StandardCharsets.ISO_8859_1);
        }
        return back.toString(StandardCharsets.ISO_8859_1);
    }

    private void send(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private Answer answer(HostileRequest request) throws IOException {
        int status = status();
        Map<String, String> headers = headers();
        while (status < 200) {
            status = status();
            headers = headers();
        }
        if (headers.getOrDefault("connection", "").equals("close")) {
            isOpen = false;
        }
        boolean chunked = headers.containsKey("transfer-encoding");
        // Of answers that may go on for ever the head is enough.
        boolean isEvents = headers.getOrDefault("content-type", "").equals("text/event-stream");
        if (status == 200 && (isEvents || HostileRequests.isStream(request.operation()))) {
            close();
            return new Answer(status, headers, "", true);
        }
        boolean none = request.isHead() || status == 204 || status == 304;
        byte[] body = none ? new byte[0] : chunked ? chunks() : sized(headers);
        return new Answer(status, headers, new String(body, StandardCharsets.UTF_8), false);
    }

    private int status() throws IOException {
        String line = line();
        if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
            throw new AssertionError("an answer begins with: " + line);
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private byte[] sized(Map<String, String> headers) throws IOException {
        String length = headers.get("content-length");
        if (length != null) {
            return in.readNBytes(Integer.parseInt(length));
        }
        isOpen = false;
        return in.readNBytes(MAX_BODY_BYTES);
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            body.writeBytes(in.readNBytes(size));
            line();
        }
        line();
        return body.toByteArray();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = in.read(); each != '\n'; each = in.read()) {
            if (each < 0) {
                throw new EOFException();
            }
            if (each != '\r') {
                line.append((char) each);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        isOpen = false;
        channel.close();
    }
}
