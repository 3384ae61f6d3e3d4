package dev.berth.server.http;

import dev.berth.core.api.JobEventView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.server.log.Signal;
import dev.berth.server.store.JobQueries;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A job's events as server-sent events, which can be resumed. */
final class StreamsResource {
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final int EVENTS_A_QUERY = 500;

    private final JobQueries queries;
    private final Signal changes;
    private final Access access;

    StreamsResource(JobQueries queries, Signal changes, Access access) {
        this.queries = queries;
        this.changes = changes;
        this.access = access;
    }

    void addTo(Router router) {
        router.add("GET", "/api/v1/jobs/{id}/events", this::events);
    }

    private void events(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        JobId job = access.job(caller, in).id();
        long after = lastEventId(exchange);
        // Closed at the true end alone: an answer that breaks off must not look complete, so that clients resume.
        OutputStream out = exchange.answer(200, "text/event-stream");
        boolean more = true;
        while (more) {
            long seen = changes.count();
            List<JobEventView> news = queries.events(job, after, EVENTS_A_QUERY);
            for (JobEventView event : news) {
                send(out, event);
                after = event.sequence();
            }
            more = news.isEmpty() ? queries.find(job).filter(this::isOver).isEmpty() : !isFinal(news.getLast());
            if (more && news.size() < EVENTS_A_QUERY && !changes.awaitBeyond(seen, HEARTBEAT)) {
                out.write(": \n\n".getBytes(StandardCharsets.UTF_8));
            }
            out.flush();
        }
        out.close();
    }

    private static long lastEventId(Exchange exchange) {
        String id = exchange.header("Last-Event-ID").orElse("0");
        try {
            return Long.parseLong(id);
        } catch (NumberFormatException e) {
            throw ApiException.field("Last-Event-ID", id, "must be the id of an event of this stream");
        }
    }

    private static void send(OutputStream out, JobEventView event) throws IOException {
        String text = "id: %d%nevent: %s%ndata: %s%n%n".formatted(event.sequence(), event.event(), Json.text(event));
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static boolean isFinal(JobEventView event) {
        return StateName.valueOf(event.to()).isFinal();
    }

    private boolean isOver(Job job) {
        return job.state().name().isFinal();
    }
}
