package dev.berth.server.http;

import dev.berth.core.api.JobEventView;
import dev.berth.server.log.Signal;
import dev.berth.server.store.JobQueries;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * {@code GET /events}: what happens to all jobs that a caller may see, as server-sent events. Resumed by the number of
 * the last one seen; without one, a follower hears from now on, and another gets all that is kept.
 */
record EventFeed(JobQueries queries, Signal changes) {
    private static final int EVENTS_A_QUERY = 500;

    void addTo(Router router) {
        router.add("GET", "/api/v1/events", (exchange, caller, _) -> feed(exchange, caller));
    }

    private void feed(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        boolean follow = Parameters.flag(exchange, "follow");
        Long uid = caller.seesAll() ? null : Long.valueOf(caller.uid());
        long seen = changes.count();
        long after = exchange.header("Last-Event-ID").isPresent()
                ? ServerSentEvents.lastEventId(exchange)
                : Parameters.number(exchange, "after", follow ? queries.lastEvent() : 0, 0, Long.MAX_VALUE);
        // Closed at the true end alone: an answer that breaks off must not look complete, so that clients resume.
        OutputStream out = exchange.answer(200, "text/event-stream");
        boolean more = true;
        while (more) {
            List<JobEventView> news = queries.feed(uid, after, EVENTS_A_QUERY);
            for (JobEventView event : news) {
                ServerSentEvents.send(out, event);
                after = event.sequence();
            }
            boolean atEnd = news.size() < EVENTS_A_QUERY;
            more = follow || !atEnd;
            if (follow && atEnd) {
                out.flush();
                if (!changes.awaitBeyond(seen, ServerSentEvents.HEARTBEAT)) {
                    ServerSentEvents.beat(out);
                }
                seen = changes.count();
            }
        }
        out.close();
    }
}
