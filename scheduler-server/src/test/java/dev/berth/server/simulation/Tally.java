package dev.berth.server.simulation;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** How often what happened, by kind. Safe for any thread. */
final class Tally {
    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

    void count(String kind) {
        add(kind, 1);
    }

    void add(String kind, long times) {
        counts.computeIfAbsent(kind, _ -> new LongAdder()).add(times);
    }

    void add(Tally other) {
        other.counts.forEach((kind, times) -> add(kind, times.sum()));
    }

    Map<String, Long> counts() {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((kind, times) -> sums.put(kind, times.sum()));
        return sums;
    }

    /** A line a kind. */
    @Override
    public String toString() {
        return counts().entrySet().stream()
                .map(entry -> "%12d  %s".formatted(entry.getValue(), entry.getKey()))
                .collect(Collectors.joining("\n"));
    }
}
