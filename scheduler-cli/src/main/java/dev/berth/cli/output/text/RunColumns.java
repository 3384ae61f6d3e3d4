package dev.berth.cli.output.text;

import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A table of jobs by what they told: what is known of each, its parameters, its tags, and of each metric the last, lowest and
 * highest value and the number of points. The columns are called as conditions name them. For one thread.
 */
public final class RunColumns {
    private static final List<String> KNOWN = List.of("id", "name", "project", "user", "state", "submitted");

    private static final List<String> SUMMARIES = List.of(":last", ":min", ":max", ":count");

    private final Set<String> parameters = new TreeSet<>();
    private final Set<String> tags = new TreeSet<>();
    private final Set<String> metrics = new TreeSet<>();

    /** Notes what a job told, so that there are columns for it. */
    public void add(TrackingView job) {
        parameters.addAll(job.params().keySet());
        tags.addAll(job.tags().keySet());
        for (MetricView metric : job.metrics()) {
            metrics.add(metric.name());
        }
    }

    /** The headings, once all jobs are added. */
    public List<String> headings() {
        List<String> headings = new ArrayList<>(KNOWN);
        for (String name : parameters) {
            headings.add("param." + name);
        }
        for (String name : tags) {
            headings.add("tag." + name);
        }
        for (String name : metrics) {
            String metric = "metric." + name;
            // The name of one may be that of another's lowest value.
            boolean isAmbiguous = SUMMARIES.stream().anyMatch(name::endsWith);
            headings.addAll(List.of(
                    isAmbiguous ? metric + ":last" : metric, metric + ":min", metric + ":max", metric + ":count"));
        }
        return headings;
    }

    /** The cells of a job; empty where it told nothing. */
    public List<String> cells(TrackingView job) {
        List<String> cells = new ArrayList<>(
                List.of(job.number(), job.name(), job.project(), job.user(), job.state(), job.submittedAt()));
        for (String name : parameters) {
            cells.add(job.params().getOrDefault(name, ""));
        }
        for (String name : tags) {
            String value = job.tags().get(name);
            // A tag without a value is there, which an empty cell would not say.
            cells.add(value == null ? "" : value.isEmpty() ? "true" : value);
        }
        Map<String, MetricView> told = new HashMap<>();
        for (MetricView metric : job.metrics()) {
            told.put(metric.name(), metric);
        }
        for (String name : metrics) {
            MetricView metric = told.get(name);
            cells.addAll(
                    metric == null
                            ? List.of("", "", "", "")
                            : List.of(
                                    value(metric.last()),
                                    value(metric.min()),
                                    value(metric.max()),
                                    Long.toString(metric.count())));
        }
        return cells;
    }

    private static String value(@Nullable PointView point) {
        return point == null ? "" : Double.toString(point.value());
    }
}
