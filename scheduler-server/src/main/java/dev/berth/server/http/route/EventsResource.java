package dev.berth.server.http.route;

import dev.berth.core.api.JobEventView;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.exchange.ServerSentEvents;
import dev.berth.server.http.view.HiddenReceivers;
import dev.berth.server.log.Signal;
import dev.berth.server.runner.EngineText;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.Rows;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/**
 * The events of jobs as server-sent events that are resumed by the number of the last one seen: to one job until its
 * end, or to all jobs that a caller may see.
 */
record EventsResource(JobQueries queries, Signal changes, Access access) {
    private static final int EVENTS_A_QUERY = 500;
    private static final int BUFFER_BYTES = 1 << 15;

    void addTo(Router router) {
        router.addStream("/api/v1/jobs/{id}/events", this::ofJob);
        router.addStream("/api/v1/events", (exchange, caller, _) -> ofAll(exchange, caller));
    }

    /** The source of the events. */
    private interface Source {
        Rows<JobEventView> after(long sequence);

        /**
         * Whether nothing will be added any more. To be asked before the events are read: what ends between the two has
         * its last event among them, or is asked about once more.
         */
        boolean isComplete();
    }

    private void ofJob(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job asked = access.job(caller, in);
        JobId job = asked.id();
        stream(exchange, ServerSentEvents.lastEventId(exchange), false, Access.mayRead(caller, asked), new Source() {
            @Override
            public Rows<JobEventView> after(long sequence) {
                return queries.events(job, sequence, EVENTS_A_QUERY);
            }

            @Override
            public boolean isComplete() {
                return queries.find(job)
                        .map(found -> found.state().name().isFinal())
                        .orElse(true);
            }
        });
    }

    /** A follower that does not say where it was hears from now on; who does not follow gets all that is kept. */
    private void ofAll(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        boolean follow = Parameters.flag(exchange, "follow");
        Long uid = caller.seesAll() ? null : Long.valueOf(caller.uid());
        long after = exchange.header("Last-Event-ID").isPresent()
                ? ServerSentEvents.lastEventId(exchange)
                : Parameters.number(exchange, "after", follow ? queries.lastEvent() : 0, 0, Long.MAX_VALUE);
        // Among everybody's a reader's own are shown as the others are.
        stream(exchange, after, follow, !caller.seesAll() || caller.isAdministrator(), new Source() {
            @Override
            public Rows<JobEventView> after(long sequence) {
                return queries.feed(uid, sequence, EVENTS_A_QUERY);
            }

            @Override
            public boolean isComplete() {
                return !follow;
            }
        });
    }

    /**
     * Waits for news. What happens to others' jobs is news as well, so that a follower of a quiet job is looked at here
     * too.
     */
    private void await(Exchange exchange, OutputStream out, long seen) throws IOException, InterruptedException {
        if (!exchange.awaitNews(changes, seen, ServerSentEvents.HEARTBEAT)) {
            ServerSentEvents.beat(out);
        }
    }

    private void stream(Exchange exchange, long from, boolean told, boolean isPrivy, Source source)
            throws IOException, InterruptedException {
        // Closed at the true end alone: an answer that breaks off must not look complete, so that clients resume.
        exchange.goOn();
        // Else each of many events would be a piece of its own on the wire.
        OutputStream out = new BufferedOutputStream(exchange.answer(200, "text/event-stream"), BUFFER_BYTES);
        if (told) {
            ServerSentEvents.begin(out, from);
        }
        long after = from;
        boolean more = true;
        while (more) {
            long seen = changes.count();
            boolean complete = source.isComplete();
            Rows<JobEventView> news = source.after(after);
            for (JobEventView event : news.items()) {
                ServerSentEvents.send(out, shown(isPrivy ? event : HiddenReceivers.event(event)));
                after = event.sequence();
            }
            boolean atEnd = !news.more();
            more = !atEnd || !complete;
            out.flush();
            if (more && atEnd) {
                await(exchange, out, seen);
            }
        }
        out.close();
    }

    /** The event with what a container engine had to say behind a short sentence, as in the state of a job. */
    private static JobEventView shown(JobEventView event) {
        if (event.sentence() == null) {
            return event;
        }
        EngineText text = EngineText.of(event.sentence());
        return event.saying(text.sentence(), text.details());
    }
}
