package dev.berth.server.http.exchange;

import dev.berth.core.api.JobEventView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Events as the WHATWG's HTML standard writes them on the wire (section "Server-sent events"). */
public final class ServerSentEvents {
    /** The time that a stream is silent at most, so that one whose reader is gone is noticed. */
    public static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private ServerSentEvents() {}

    /** To be flushed behind the last one that there is. */
    public static void send(OutputStream out, JobEventView event) throws IOException {
        String text = "id: " + event.sequence() + "\nevent: " + event.event() + "\ndata: " + Json.text(event) + "\n\n";
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends an event that has no number, because a client that resumes is told how things stand. */
    public static void send(OutputStream out, String event, Record data) throws IOException {
        out.write(("event: " + event + "\ndata: " + Json.text(data) + "\n\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** Tells a follower where it begins, so that it goes on from there also when it breaks off before the first event. */
    public static void begin(OutputStream out, long sequence) throws IOException {
        out.write(("id: " + sequence + "\n\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    public static void beat(OutputStream out) throws IOException {
        out.write(": \n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** The event behind which to go on, 0 where the header is not there. */
    public static long lastEventId(Exchange exchange) {
        String id = exchange.header("Last-Event-ID").orElse("0");
        try {
            return Long.parseLong(id);
        } catch (NumberFormatException e) {
            throw ApiException.field("Last-Event-ID", id, "must be the id of an event of this stream");
        }
    }
}
