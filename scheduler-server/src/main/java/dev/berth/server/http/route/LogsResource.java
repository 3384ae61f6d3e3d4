package dev.berth.server.http.route;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.AnswerBrokenOff;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogStore;
import dev.berth.server.log.OvertakenException;
import dev.berth.server.log.Signal;
import dev.berth.server.store.JobQueries;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A job's log, whole or a part of it, to its end or as it grows. An answer can be resumed by offset. */
final class LogsResource {
    /** The first byte of the log that is kept. */
    private static final String START = "Berth-Log-Start";

    /** The header that says where in the log the answer begins. */
    private static final String OFFSET = "Berth-Log-Offset";

    /** The header that says where in the log the attempt begins that was asked for. */
    private static final String BEGIN = "Berth-Log-Begin";

    /** The time that a follower of a silent job may be gone before it is noticed. */
    private static final Duration GLANCE = Duration.ofSeconds(2);

    private final JobQueries queries;
    private final LogStore logs;
    private final Signal changes;
    private final Access access;

    LogsResource(JobQueries queries, LogStore logs, Signal changes, Access access) {
        this.queries = queries;
        this.logs = logs;
        this.changes = changes;
        this.access = access;
    }

    void addTo(Router router) {
        router.addStream("/api/v1/jobs/{id}/log", this::log);
    }

    /** The same job, which is refused where Berth keeps no log of it. */
    static Job withLog(Job asked) {
        if (asked.spec().isHost()) {
            throw ApiException.of(
                    409,
                    "NO_LOG",
                    "job " + asked.number()
                            + " is a process of the machine itself: what it writes goes where its berth run was"
                            + " started, and Berth keeps no log of it");
        }
        if (asked.isArray()) {
            throw ApiException.of(
                    409,
                    "NO_LOG",
                    "job " + asked.number() + " is an array, whose tasks have a log each; the first: berth logs "
                            + asked.firstTask());
        }
        return asked;
    }

    private void log(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        Job asked = withLog(access.ownJob(caller, in));
        JobId job = asked.id();
        LogRequest request = LogRequest.of(exchange);
        try (LogReader reader = logs.reader(job)) {
            Optional<AttemptLog> attempt = request.attempt().map(number -> new AttemptLog(asked, number, logs));
            if (attempt.isPresent()) {
                attempt.get().require(reader);
                exchange.answerHeader(BEGIN, Long.toString(attempt.get().begin()));
            }
            reader.seek(request.begin(reader));
            exchange.answerHeader(START, Long.toString(reader.logStart()));
            exchange.answerHeader(OFFSET, Long.toString(reader.position()));
            // So that it can be seen when the client goes away.
            exchange.answerHeader("Connection", "close");
            // Else the end of the connection would be the end of the answer, and a broken one would look complete.
            exchange.answerHeader("Transfer-Encoding", "chunked");
            answer(job, request, attempt, reader, exchange);
        } catch (OvertakenException e) {
            throw new AnswerBrokenOff(String.valueOf(e.getMessage()));
        }
    }

    private void answer(
            JobId job, LogRequest request, Optional<AttemptLog> attempt, LogReader reader, Exchange exchange)
            throws IOException, InterruptedException {
        // Closed at the true end alone: an answer that breaks off must not look complete, so that clients resume.
        var out = exchange.answer(
                200, request.frames() ? "application/vnd.berth.log-frames" : "application/octet-stream");
        LogAnswer answer = new LogAnswer(request, reader, out);
        if (request.follow()) {
            exchange.goOn();
        }
        boolean more = true;
        while (more) {
            long seen = changes.count();
            Signal growth = logs.signal(job);
            long grown = growth == null ? 0 : growth.count();
            // A job that was deleted meanwhile is over too.
            boolean over =
                    queries.find(job).map(found -> isOver(found, request)).orElse(true);
            boolean isLast = attempt.isEmpty() || !attempt.get().confine(reader);
            answer.copy();
            // A client that asks for the log of an ended job gets all of it, also if the end is still on its way.
            boolean complete = over && (growth == null || !isLast);
            more = !complete && (request.follow() || over);
            if (more) {
                Signal news = growth == null ? changes : growth;
                long known = growth == null ? seen : grown;
                boolean _ = over ? exchange.awaitRest(news, known, GLANCE) : exchange.awaitNews(news, known, GLANCE);
            }
        }
        out.close();
    }

    private static boolean isOver(Job job, LogRequest request) {
        int attempt = job.state().attempt();
        return job.state().name().isFinal()
                || request.attempt().filter(asked -> asked < attempt).isPresent();
    }
}
