package dev.berth.cli.client;

import dev.berth.cli.client.http.EventLines;
import dev.berth.cli.client.http.HttpHead;
import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.JsonSources;
import dev.berth.cli.json.Views;
import dev.berth.core.api.JobEventView;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Server-sent events as they come (WHATWG HTML, "Server-sent events"). For one thread. */
public final class EventStream implements Closeable {
    /** No event's number. */
    public static final long UNKNOWN = -1;

    private static final String DATA = "data:";
    private static final String ID = "id:";

    private final Closeable connection;
    private final EventLines lines;
    private final @Nullable JsonSources sources;
    private long lastId = UNKNOWN;

    EventStream(Closeable connection, InputStream in, @Nullable JsonSources sources) {
        this.connection = connection;
        this.sources = sources;
        this.lines = new EventLines(in);
    }

    /** The next event, or null where the stream ended. Keep-alive comments are passed over. */
    public @Nullable JobEventView next() throws IOException {
        StringBuilder data = new StringBuilder();
        long id = lastId;
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.startsWith(DATA)) {
                data.append(line, DATA.length(), line.length()).append('\n');
            } else if (line.startsWith(ID)) {
                id = HttpHead.number(line.substring(ID.length()).strip(), 10);
            } else if (line.isEmpty()) {
                // Only now it counts: what breaks off before its empty line is sent again.
                lastId = id;
                if (!data.isEmpty()) {
                    return JsonObject.parse(data.toString().getBytes(StandardCharsets.UTF_8), sources)
                            .as(Views::event);
                }
            }
        }
        return null;
    }

    /** The number to resume after, as far as the stream has said one; -1 before. It may come without an event. */
    public long lastId() {
        return lastId;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
