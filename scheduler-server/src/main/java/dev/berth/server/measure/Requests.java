package dev.berth.server.measure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** The requests that were answered, by route. Holds no text of a client: a route is a pattern of the server's. Safe for any thread. */
public final class Requests {
    /** Requests that are counted together. */
    public record Answered(String method, String route, int status) {}

    /** Requests whose durations are counted together. */
    public record Asked(String method, String route) {}

    private final ConcurrentMap<Answered, LongAdder> counts = new ConcurrentHashMap<>();
    private final ConcurrentMap<Asked, Latencies> durations = new ConcurrentHashMap<>();

    /** Counts one whose answer went on for as long as its reader listened. */
    public void count(Answered request) {
        counts.computeIfAbsent(request, _ -> new LongAdder()).increment();
    }

    /** Counts one with the time from its head to the end of its answer. */
    public void count(Answered request, Duration taken) {
        count(request);
        durations
                .computeIfAbsent(new Asked(request.method(), request.route()), _ -> new Latencies())
                .observe(taken);
    }

    public Map<Answered, LongAdder> counts() {
        return Map.copyOf(counts);
    }

    public Map<Asked, Latencies> durations() {
        return Map.copyOf(durations);
    }
}
