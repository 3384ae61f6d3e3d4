package dev.berth.cli.client.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The lines of server-sent events. For one thread. */
public final class EventLines {
    private static final int MAX_LINE_BYTES = 1024 * 1024;

    private final InputStream in;

    public EventLines(InputStream in) {
        this.in = in;
    }

    /** The next one without its end; null where the stream ended. */
    @Nullable
    public String next() throws IOException {
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
}
