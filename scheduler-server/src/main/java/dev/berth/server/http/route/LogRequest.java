package dev.berth.server.http.route;

import dev.berth.core.api.LogFrame;
import dev.berth.core.api.LogLimits;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogTail;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The part of a log that is asked for, and in which form. It begins at the latest of {@code offset}, {@code tail} and
 * {@code since}.
 *
 * @param attempt the attempt that is asked for, where not all of them are
 * @param tail how many last lines, where only these are asked for
 * @param since epoch milliseconds
 * @param timestamps whether each line begins with the time of its arrival
 * @param frames whether each piece is told apart, instead of plain bytes
 */
record LogRequest(
        long offset,
        boolean follow,
        Optional<Integer> attempt,
        Optional<Integer> tail,
        Optional<Long> since,
        Which which,
        boolean timestamps,
        boolean frames) {
    /** Year 9999, the last that an ISO time of four digits can say. */
    private static final long MAX_EPOCH_SECOND = 253_402_300_799L;

    /** The streams that are asked for. Berth's own notices are with standard error. */
    enum Which {
        BOTH,
        STDOUT,
        STDERR;

        boolean takes(int stream) {
            return this == BOTH || (this == STDOUT) == (stream == LogFrame.STDOUT);
        }
    }

    static LogRequest of(Exchange exchange) {
        LogRequest request = new LogRequest(
                Parameters.number(exchange, "offset", 0, 0, Long.MAX_VALUE),
                choice(exchange, "follow", List.of("false", "true")) == 1,
                exchange.query("attempt")
                        .map(_ -> (int) Parameters.number(exchange, "attempt", 1, 1, LogLimits.MAX_ATTEMPT)),
                exchange.query("tail").map(_ -> (int) Parameters.number(exchange, "tail", 0, 0, LogLimits.MAX_TAIL)),
                exchange.query("since").map(LogRequest::epochMillis),
                which(exchange),
                choice(exchange, "timestamps", List.of("false", "true")) == 1,
                choice(exchange, "format", List.of("plain", "frames")) == 1);
        if (request.frames && request.timestamps) {
            throw ApiException.field("timestamps", "true", "must not be asked for with format=frames, which has them");
        }
        return request;
    }

    /** The streams that a request asks for. */
    static Which which(Exchange exchange) {
        return Which.values()[choice(exchange, "stream", List.of("both", "stdout", "stderr"))];
    }

    /** The index of the choice; the first is what is meant where nothing is said. */
    private static int choice(Exchange exchange, String name, List<String> choices) {
        String value = exchange.query(name).orElse(choices.getFirst());
        int index = choices.indexOf(value);
        if (index < 0) {
            throw ApiException.field(name, value, "must be one of " + String.join(", ", choices));
        }
        return index;
    }

    private static long epochMillis(String text) {
        try {
            if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                long second = Long.parseLong(text);
                if (second <= MAX_EPOCH_SECOND) {
                    return second * 1_000;
                }
            } else {
                Instant instant = Instant.parse(text);
                if (Math.abs(instant.getEpochSecond()) <= MAX_EPOCH_SECOND) {
                    return instant.toEpochMilli();
                }
            }
        } catch (DateTimeException | NumberFormatException e) {
            // Said below, with the rule.
        }
        throw ApiException.field(
                "since", text, "must be a time such as 2026-01-31T08:00:00Z, or whole seconds since 1970");
    }

    /** Whether the answer is the log's bytes as they stand. */
    boolean isPlain() {
        return !frames && !timestamps && which == Which.BOTH;
    }

    /** The place in the log where the answer begins. */
    long begin(LogReader reader) throws IOException {
        long begin = offset;
        if (since.isPresent()) {
            begin = Math.max(begin, reader.since(since.get()));
        }
        if (tail.isPresent()) {
            begin = Math.max(begin, new LogTail(reader, which::takes).begin(tail.get()));
        }
        return begin;
    }
}
