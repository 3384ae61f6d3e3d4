package dev.berth.cli.output;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.Comparison.Difference;
import dev.berth.cli.output.Comparison.Run;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A comparison in the making, of jobs that come one after the other; of each it keeps no more than is compared. For one thread.
 */
public final class Comparing {
    /** What is kept of a value; whether two differ is told by the whole of them. */
    private static final int MAX_SHOWN = 200;

    /** What is kept in all, in characters. */
    private static final long MAX_KEPT = 16_000_000;

    private static final String TRUE = "true";

    /** The kinds of what jobs tell, in the order in which they are shown. */
    private enum Kind {
        PARAM("param."),
        TAG("tag."),
        METRIC("metric.");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }
    }

    /** A value of a job: its front, and a number that tells it from others. */
    private record Told(String shown, int length, int hash) {
        static Told of(String text) {
            String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
            return new Told(shown, text.length(), text.hashCode());
        }
    }

    private final boolean withMetrics;
    private final Function<MetricView, @Nullable PointView> ranking;
    private final @Nullable String ranked;
    private final List<Run> runs = new ArrayList<>();
    private final Map<Long, Integer> places = new HashMap<>();
    private final Map<Kind, Map<String, Map<Integer, Told>>> told = new HashMap<>();
    private long kept;

    private Comparing(boolean withMetrics, @Nullable String ranked, Function<MetricView, @Nullable PointView> ranking) {
        this.withMetrics = withMetrics;
        this.ranked = ranked;
        this.ranking = ranking;
    }

    /** A comparison of all that jobs told. */
    public static Comparing all() {
        return new Comparing(true, null, _ -> null);
    }

    /**
     * A comparison of the parameters and tags of jobs that are ranked by a metric.
     *
     * @param ranking gives the point by which they are
     */
    public static Comparing ranked(String metric, Function<MetricView, @Nullable PointView> ranking) {
        return new Comparing(false, metric, ranking);
    }

    /** Adds a job, which counts once. */
    public void add(TrackingView job) {
        int place = runs.size();
        if (places.putIfAbsent(job.id(), place) != null) {
            return;
        }
        PointView point = null;
        for (MetricView metric : job.metrics()) {
            point = metric.name().equals(ranked) ? ranking.apply(metric) : point;
        }
        runs.add(new Run(
                job.number(),
                job.name(),
                job.state(),
                point == null ? null : (Double) point.value(),
                point == null ? null : (Long) point.step()));
        job.params().forEach((name, value) -> put(Kind.PARAM, name, place, value));
        job.tags().forEach((name, value) -> put(Kind.TAG, name, place, value.isEmpty() ? TRUE : value));
        if (withMetrics) {
            for (MetricView metric : job.metrics()) {
                put(Kind.METRIC, metric.name(), place, text(metric.last().value()));
            }
        }
    }

    /** A value of a metric, all of its digits; a whole one has no fraction. */
    public static String text(double value) {
        String text = Double.toString(value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    private void put(Kind kind, String name, int place, String value) {
        Told one = Told.of(value);
        kept += one.shown().length() + Integer.SIZE;
        if (kept > MAX_KEPT) {
            throw Failure.of(
                    ExitCode.REFUSED,
                    "TOO_MUCH",
                    "these jobs told more than can be compared at once; name fewer, or write them out: berth export");
        }
        told.computeIfAbsent(kind, _ -> new TreeMap<>())
                .computeIfAbsent(name, _ -> new HashMap<>())
                .put(place, one);
    }

    /** How many jobs there are. */
    public int size() {
        return runs.size();
    }

    /** The comparison of those that were added. */
    public Comparison end() {
        List<Difference> differences = new ArrayList<>();
        int same = 0;
        for (Kind kind : Kind.values()) {
            for (Map.Entry<String, Map<Integer, Told>> row :
                    told.getOrDefault(kind, Map.of()).entrySet()) {
                if (isSame(row.getValue())) {
                    same++;
                } else {
                    differences.add(new Difference(name(kind, row.getKey()), values(row.getValue())));
                }
            }
        }
        return new Comparison(runs, differences, same);
    }

    private boolean isSame(Map<Integer, Told> values) {
        return values.size() == runs.size()
                && values.values().stream().distinct().count() == 1;
    }

    /** A tag is called one; of others what they are is said where the name alone would mean another. */
    private String name(Kind kind, String name) {
        boolean isElsewhere = kind == Kind.TAG;
        for (Kind other : Kind.values()) {
            isElsewhere |= other != kind && told.getOrDefault(other, Map.of()).containsKey(name);
        }
        return isElsewhere ? kind.prefix + name : name;
    }

    private List<@Nullable String> values(Map<Integer, Told> values) {
        List<@Nullable String> all = new ArrayList<>();
        for (int place = 0; place < runs.size(); place++) {
            Told value = values.get(place);
            all.add(value == null ? null : value.shown());
        }
        return all;
    }
}
