package dev.berth.server.http;

import dev.berth.core.api.JobEventView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import dev.berth.server.log.LogStore;
import dev.berth.server.log.Signal;
import dev.berth.server.store.JobQueries;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What grows: a job's events as server-sent events, a job's log as plain bytes. Both can be resumed. */
final class StreamsResource {
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final int EVENTS_A_QUERY = 500;
    private static final int PIECE_BYTES = 1 << 16;

    private final JobQueries queries;
    private final LogStore logs;
    private final Signal changes;
    private final Access access;

    StreamsResource(JobQueries queries, LogStore logs, Signal changes, Access access) {
        this.queries = queries;
        this.logs = logs;
        this.changes = changes;
        this.access = access;
    }

    void addTo(Router router) {
        router.addStream("/api/v1/jobs/{id}/events", this::events);
        router.addStream("/api/v1/jobs/{id}/log", this::log);
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

    private void log(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        JobId job = access.ownJob(caller, in).id();
        long offset = JobsResource.number(exchange, "offset", 0, 0, Long.MAX_VALUE);
        boolean follow = exchange.query("follow").map(Boolean::parseBoolean).orElse(false);
        byte[] piece = new byte[PIECE_BYTES];
        OutputStream out = exchange.answer(200, "application/octet-stream");
        boolean more = true;
        while (more) {
            long seen = changes.count();
            Signal growth = logs.signal(job);
            long grown = growth == null ? 0 : growth.count();
            boolean over = queries.find(job).filter(this::isOver).isPresent();
            offset += copy(job, offset, piece, out);
            out.flush();
            if (exchange.isAbandoned()) {
                return;
            }
            // Whoever asks for the log of a job that has ended gets all of it, also if the end is still on its way.
            boolean complete = over && growth == null;
            more = !complete && (follow || over);
            if (more && growth != null) {
                growth.awaitBeyond(grown, HEARTBEAT);
            } else if (more) {
                changes.awaitBeyond(seen, HEARTBEAT);
            }
        }
        out.close();
    }

    private long copy(JobId job, long from, byte[] piece, OutputStream out) throws IOException {
        long copied = 0;
        for (int count = logs.read(job, from, ByteBuffer.wrap(piece));
                count > 0;
                count = logs.read(job, from + copied, ByteBuffer.wrap(piece))) {
            out.write(piece, 0, count);
            copied += count;
        }
        return copied;
    }
}
