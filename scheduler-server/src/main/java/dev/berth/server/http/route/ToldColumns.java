package dev.berth.server.http.route;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
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

    private static final int MAX_COLUMNS = 50;
    private static final int MAX_NAME = 300;

    /** The values that a request asks for. */
    Values values(Exchange exchange, Caller caller) {
        List<ToldName> columns = columns(exchange);
        return columns.isEmpty() ? NONE : values(columns, caller);
    }

    /** The values by these names, of those jobs that the caller may look into. */
    Values values(List<ToldName> columns, Caller caller) {
        Set<String> names = columns.stream().map(ToldName::name).collect(Collectors.toSet());
        return jobs -> {
            List<JobId> own = jobs.stream()
                    .filter(job -> Access.mayRead(caller, job))
                    .map(Job::id)
                    .toList();
            Map<JobId, ToldValues> told = tracking.queries().values(own, names);
            Map<JobId, Map<String, String>> values = new HashMap<>();
            for (JobId job : own) {
                values.put(job, shown(columns, told.getOrDefault(job, ToldValues.NONE)));
            }
            return values;
        };
    }

    private static Map<String, String> shown(List<ToldName> columns, ToldValues told) {
        Map<String, String> shown = new TreeMap<>();
        for (ToldName column : columns) {
            ToldValues.Value value = column.in(told);
            if (value != null) {
                shown.put(column.text(), value.text());
            }
        }
        return shown;
    }

    private static List<ToldName> columns(Exchange exchange) {
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
