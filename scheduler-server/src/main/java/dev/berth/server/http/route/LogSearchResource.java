package dev.berth.server.http.route;

import dev.berth.core.api.LogLimits;
import dev.berth.core.api.LogMatches;
import dev.berth.core.api.LogMatches.LogMatch;
import dev.berth.core.job.Job;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogSearch;
import dev.berth.server.log.LogSearch.Found;
import dev.berth.server.log.LogStore;
import dev.berth.server.log.SoughtText;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The lines of a job's log that have a text, part by part: a log of gigabytes is looked through by as many requests. */
record LogSearchResource(LogStore logs, Access access) {
    private static final int MAX_TEXT = 200;
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 500;

    private static final List<String> STREAMS = List.of("stdout", "stderr", "berth");

    void addTo(Router router) {
        router.add("GET", "/api/v1/jobs/{id}/log/search", this::search);
    }

    private void search(Exchange exchange, Caller caller, Map<String, String> in) throws IOException {
        Job job = LogsResource.withLog(access.ownJob(caller, in));
        SoughtText text = new SoughtText(text(exchange), Parameters.flag(exchange, "ignoreCase"));
        int limit = (int) Parameters.number(exchange, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        long offset = Parameters.number(exchange, "offset", 0, 0, Long.MAX_VALUE);
        LogRequest.Which which = LogRequest.which(exchange);
        try (LogReader reader = logs.reader(job.id())) {
            if (exchange.query("attempt").isPresent()) {
                int attempt = (int) Parameters.number(exchange, "attempt", 1, 1, LogLimits.MAX_ATTEMPT);
                new AttemptLog(job, attempt, logs).require(reader);
            }
            reader.seek(offset);
            LogSearch search = new LogSearch(reader, which::takes, text, limit);
            List<LogMatch> matches =
                    search.find().stream().map(LogSearchResource::match).toList();
            Long next = search.isAtEnd() ? null : (Long) search.end();
            Json.answer(exchange, 200, new LogMatches(matches, next, reader.logStart(), search.end()));
        }
    }

    private static String text(Exchange exchange) {
        String text = exchange.query("text").orElse("");
        if (text.isEmpty() || text.length() > MAX_TEXT || text.chars().anyMatch(c -> c == '\n' || c == '\r')) {
            throw ApiException.field(
                    "text", PrintableText.of(text), "must have 1 to " + MAX_TEXT + " characters, of one line");
        }
        return text;
    }

    private static LogMatch match(Found found) {
        return new LogMatch(
                found.offset(),
                Instant.ofEpochMilli(found.epochMillis()).toString(),
                STREAMS.get(found.stream()),
                found.text());
    }
}
