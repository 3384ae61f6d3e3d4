package dev.berth.cli.output.text;

import dev.berth.cli.client.JobQuery.Best;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Jobs side by side, for people. */
public final class CompareText {
    /** In the place of the value of a tag that has none. */
    static final String TAGGED = "yes";

    private static final String NAME = "NAME";
    private static final String STATE = "STATE";

    /** The values of the jobs by the name of what they are of; null of a job that has none. */
    private final SequencedMap<String, @Nullable String[]> rows;

    private final int same;

    private CompareText(SequencedMap<String, @Nullable String[]> rows, int same) {
        this.rows = rows;
        this.same = same;
    }

    private static CompareText of(List<TrackingView> jobs, boolean withMetrics) {
        Map<String, @Nullable String[]> parameters = new TreeMap<>();
        Map<String, @Nullable String[]> tags = new TreeMap<>();
        Map<String, @Nullable String[]> metrics = new TreeMap<>();
        for (int at = 0; at < jobs.size(); at++) {
            TrackingView job = jobs.get(at);
            for (Map.Entry<String, String> parameter : job.params().entrySet()) {
                put(parameters, parameter.getKey(), at, jobs.size(), Figures.shortened(parameter.getValue()));
            }
            for (Map.Entry<String, String> tag : job.tags().entrySet()) {
                put(tags, tag.getKey(), at, jobs.size(), tag.getValue().isEmpty() ? TAGGED : tag.getValue());
            }
            for (MetricView metric : job.metrics()) {
                put(
                        metrics,
                        metric.name(),
                        at,
                        jobs.size(),
                        Figures.of(metric.last().value()));
            }
        }
        SequencedMap<String, @Nullable String[]> all = new LinkedHashMap<>();
        parameters.forEach((name, values) -> all.put(metrics.containsKey(name) ? "param." + name : name, values));
        tags.forEach((name, values) -> all.put("tag." + name, values));
        if (withMetrics) {
            metrics.forEach((name, values) -> all.put(parameters.containsKey(name) ? "metric." + name : name, values));
        }
        int before = all.size();
        all.values().removeIf(CompareText::isSame);
        return new CompareText(all, before - all.size());
    }

    private static void put(Map<String, @Nullable String[]> rows, String name, int at, int count, String value) {
        rows.computeIfAbsent(name, _ -> new @Nullable String[count])[at] = value;
    }

    private static boolean isSame(@Nullable String[] values) {
        for (String value : values) {
            if (value == null || !value.equals(values[0])) {
                return false;
            }
        }
        return true;
    }

    /** The lines of a comparison; the longer of the two lists, of jobs and of what differs, goes down. */
    public static List<String> compared(List<TrackingView> jobs, int columns) {
        CompareText differences = of(jobs, true);
        List<String> lines = new ArrayList<>(differences.table(jobs).lines(columns));
        if (differences.rows.isEmpty()) {
            lines.add("they told the same");
        } else if (differences.same > 0) {
            lines.add(differences.same + (differences.same == 1 ? " value is" : " values are") + " the same in all");
        }
        return lines;
    }

    private Table table(List<TrackingView> jobs) {
        SequencedMap<String, @Nullable String[]> all = new LinkedHashMap<>();
        for (int at = 0; at < jobs.size(); at++) {
            put(all, NAME, at, jobs.size(), jobs.get(at).name());
            put(all, STATE, at, jobs.size(), jobs.get(at).state());
        }
        all.values().removeIf(CompareText::isSame);
        all.putAll(rows);
        return jobs.size() > all.size() ? jobsDown(jobs, all) : namesDown(jobs, all);
    }

    private static Table namesDown(List<TrackingView> jobs, SequencedMap<String, @Nullable String[]> rows) {
        String[] headings = new String[jobs.size() + 1];
        headings[0] = "";
        for (int at = 0; at < jobs.size(); at++) {
            headings[at + 1] = jobs.get(at).number();
        }
        Table table = new Table(headings);
        rows.forEach((name, values) -> {
            String[] cells = new String[values.length + 1];
            cells[0] = name;
            for (int at = 0; at < values.length; at++) {
                cells[at + 1] = shown(values[at]);
            }
            table.row(cells);
        });
        return table;
    }

    private static Table jobsDown(List<TrackingView> jobs, SequencedMap<String, @Nullable String[]> rows) {
        List<String> headings = new ArrayList<>(List.of("ID"));
        headings.addAll(rows.keySet());
        Table table = new Table(headings.toArray(String[]::new));
        for (int at = 0; at < jobs.size(); at++) {
            List<String> cells = new ArrayList<>(List.of(jobs.get(at).number()));
            for (@Nullable String[] values : rows.values()) {
                cells.add(shown(values[at]));
            }
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    /** The best jobs by a metric, in their order, with the parameters and tags in which they differ. */
    public static Table best(List<TrackingView> jobs, Best best) {
        SequencedMap<String, @Nullable String[]> rows = of(jobs, false).rows;
        List<String> headings = new ArrayList<>(List.of("ID", NAME, STATE, best.metric(), "STEP"));
        headings.addAll(rows.keySet());
        Table table = new Table(headings.toArray(String[]::new));
        for (int at = 0; at < jobs.size(); at++) {
            TrackingView job = jobs.get(at);
            PointView point = point(job, best);
            List<String> cells = new ArrayList<>(List.of(
                    job.number(),
                    job.name(),
                    job.state(),
                    point == null ? JobText.NOTHING : Figures.of(point.value()),
                    point == null ? JobText.NOTHING : Long.toString(point.step())));
            for (@Nullable String[] values : rows.values()) {
                cells.add(shown(values[at]));
            }
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private static @Nullable PointView point(TrackingView job, Best best) {
        for (MetricView metric : job.metrics()) {
            if (metric.name().equals(best.metric())) {
                return best.isOfLast() ? metric.last() : best.isHighest() ? metric.max() : metric.min();
            }
        }
        return null;
    }

    private static String shown(@Nullable String value) {
        return value == null ? JobText.NOTHING : value;
    }
}
