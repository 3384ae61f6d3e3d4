package dev.berth.server.metrics;

import dev.berth.server.measure.Latencies;
import dev.berth.server.metrics.Figure.Kind;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The values of one look at all metrics. Lives for one answer. */
final class Points {
    private static final String TOTAL = "_total";

    private final Map<Figure, List<DataPointSnapshot>> points = new EnumMap<>(Figure.class);

    /** Adds a value, with one word for each of the metric's labels. */
    void add(Figure figure, double value, String... words) {
        Labels labels = labels(figure, words);
        put(
                figure,
                figure.kind() == Kind.COUNTER
                        ? new CounterDataPointSnapshot(value, labels, null, 0)
                        : new GaugeDataPointSnapshot(value, labels, null));
    }

    /** Adds a count; Prometheus knows no other numbers than doubles. */
    void add(Figure figure, long value, String... words) {
        add(figure, (double) value, words);
    }

    void add(Figure figure, Latencies latencies, String... words) {
        put(
                figure,
                HistogramDataPointSnapshot.builder()
                        .classicHistogramBuckets(ClassicHistogramBuckets.of(Latencies.bounds(), latencies.counts()))
                        .sum(latencies.seconds())
                        .labels(labels(figure, words))
                        .build());
    }

    private void put(Figure figure, DataPointSnapshot point) {
        points.computeIfAbsent(figure, _ -> new ArrayList<>()).add(point);
    }

    private static Labels labels(Figure figure, String... words) {
        return Labels.of(figure.labels().toArray(String[]::new), words);
    }

    MetricSnapshots all() {
        List<MetricSnapshot> all = new ArrayList<>();
        points.forEach((figure, values) -> all.add(snapshot(figure, values)));
        return new MetricSnapshots(all);
    }

    private static MetricSnapshot snapshot(Figure figure, List<DataPointSnapshot> values) {
        return switch (figure.kind()) {
            case GAUGE ->
                new GaugeSnapshot(
                        new MetricMetadata(figure.text(), figure.help()), of(values, GaugeDataPointSnapshot.class));
            case COUNTER ->
                // The library adds the end of the name itself.
                new CounterSnapshot(
                        new MetricMetadata(
                                figure.text().substring(0, figure.text().length() - TOTAL.length()), figure.help()),
                        of(values, CounterDataPointSnapshot.class));
            case HISTOGRAM ->
                new HistogramSnapshot(
                        new MetricMetadata(figure.text(), figure.help()), of(values, HistogramDataPointSnapshot.class));
        };
    }

    private static <T> List<T> of(List<DataPointSnapshot> values, Class<T> type) {
        return values.stream().map(type::cast).toList();
    }
}
