package dev.berth.server.http.route;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.text.Utf8;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.view.JobViews.Values;
import dev.berth.server.store.track.ToldValues;
import dev.berth.server.track.Tracking;
import dev.berth.server.track.condition.ToldName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The values beside the jobs of a list: what they told by the names that the request's {@code columns} gives. */
record ToldColumns(Tracking tracking) {
    /** No values. */
    static final Values NONE = _ -> Map.of();

    /** The most names. */
    static final int MAX_COLUMNS = 50;

    private static final int MAX_NAME = 300;

    /** Values that are in memory at a time, up to 4 KiB each. */
    private static final int MAX_VALUES = 1_000;

    private static final long MEMORY_A_COLUMN = 128L << 10;

    /** A longer value is cut: a list is no place for it. */
    private static final int MAX_VALUE = 256;

    /** The values by these names, of those jobs that the caller may look into. */
    Values values(List<ToldName> columns, Caller caller) {
        if (columns.isEmpty()) {
            return NONE;
        }
        Set<String> names = columns.stream().map(ToldName::name).collect(Collectors.toSet());
        return jobs -> {
            List<JobId> own = jobs.stream()
                    .filter(job -> Access.mayRead(caller, job))
                    .map(Job::id)
                    .toList();
            Map<JobId, Map<String, String>> values = new HashMap<>();
            int piece = jobsAPiece(names.size());
            for (int from = 0; from < own.size(); from += piece) {
                List<JobId> some = own.subList(from, Math.min(own.size(), from + piece));
                Map<JobId, ToldValues> told = tracking.queries().lists().values(some, names);
                for (JobId job : some) {
                    values.put(job, shown(columns, told.getOrDefault(job, ToldValues.NONE)));
                }
            }
            return values;
        };
    }

    /** How many jobs' values by so many names are in memory at a time. */
    static int jobsAPiece(int names) {
        return Math.max(1, MAX_VALUES / Math.max(1, names));
    }

    /** The bytes that the values of so many columns take, beside the jobs of a piece of a list: a careful guess. */
    static long memory(int columns) {
        return columns * MEMORY_A_COLUMN;
    }

    private static Map<String, String> shown(List<ToldName> columns, ToldValues told) {
        Map<String, String> shown = new TreeMap<>();
        for (ToldName column : columns) {
            ToldValues.Value value = column.in(told);
            if (value != null) {
                shown.put(column.text(), Utf8.cut(value.text(), MAX_VALUE));
            }
        }
        return shown;
    }

    /** The names that a request gives. */
    static List<ToldName> columns(Exchange exchange) {
        String text = exchange.query("columns").orElse("");
        if (text.isEmpty()) {
            return List.of();
        }
        List<String> names = Stream.of(text.split(",", -1)).distinct().toList();
        if (names.size() > MAX_COLUMNS) {
            throw ApiException.field("columns", PrintableText.of(text), "must be at most " + MAX_COLUMNS + " names");
        }
        if (names.stream().anyMatch(name -> name.isEmpty() || name.length() > MAX_NAME)) {
            throw ApiException.field(
                    "columns",
                    PrintableText.of(text),
                    "must be names of parameters, metrics or tags of 1 to " + MAX_NAME
                            + " characters, with commas between them");
        }
        return names.stream().map(ToldName::of).toList();
    }
}
