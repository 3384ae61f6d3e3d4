package dev.berth.cli.client;

import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.Views;
import dev.berth.core.api.JobEventView;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events as they come (WHATWG HTML, "Server-sent events"). For one thread. */
public final class EventStream implements Closeable {
    /** No event's number. */
    public static final long UNKNOWN = -1;

    private static final int MAX_LINE_BYTES = 1024 * 1024;
    private static final String DATA = "data:";
    private static final String ID = "id:";

    private final Closeable connection;
    private final InputStream in;
    private long lastId = UNKNOWN;

    EventStream(Closeable connection, InputStream in) {
        this.connection = connection;
        this.in = in;
    }

    /** The next event, or null where the stream ended. Keep-alive comments are passed over. */
    public @Nullable JobEventView next() throws IOException {
        StringBuilder data = new StringBuilder();
        long id = lastId;
        for (String line = line(); line != null; line = line()) {
            if (line.startsWith(DATA)) {
                data.append(line, DATA.length(), line.length()).append('\n');
            } else if (line.startsWith(ID)) {
                id = HttpHead.number(line.substring(ID.length()).strip(), 10);
            } else if (line.isEmpty()) {
                // Only now it counts: what breaks off before its empty line is sent again.
                lastId = id;
                if (!data.isEmpty()) {
                    return Views.event(JsonObject.parse(data.toString().getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
        return null;
    }

    /** The number to resume after, as far as the stream has said one; -1 before. It may come without an event. */
    public long lastId() {
        return lastId;
    }

    private @Nullable String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            if (line.size() == MAX_LINE_BYTES) {
                throw new ProtocolException("an event of more than " + MAX_LINE_BYTES + " bytes");
            }
            line.write(next);
            next = in.read();
        }
        String text = line.toString(StandardCharsets.UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
