package dev.berth.cli.client;

import dev.berth.cli.client.http.EventLines;
import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.LeaseViews;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Events that are told to a client that waits for its GPUs, as they come. For one thread; to be closed by any. */
public final class LeaseEvents implements Closeable {
    private static final String DATA = "data:";
    private static final String EVENT = "event:";

    private final Closeable connection;
    private final EventLines lines;

    LeaseEvents(Closeable connection, InputStream in) {
        this.connection = connection;
        this.lines = new EventLines(in);
    }

    /**
     * The next event as its record: a {@code LeaseWaiting}, a {@code LeaseGranted}, a {@code LeaseStop} or a {@code
     * LeaseEnded}; null where the stream ended.
     */
    public @Nullable Record next() throws IOException {
        String event = "";
        StringBuilder data = new StringBuilder();
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.startsWith(DATA)) {
                data.append(line, DATA.length(), line.length()).append('\n');
            } else if (line.startsWith(EVENT)) {
                event = line.substring(EVENT.length()).strip();
            } else if (line.isEmpty() && !data.isEmpty()) {
                return LeaseViews.event(event, JsonObject.parse(data.toString().getBytes(StandardCharsets.UTF_8)));
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
