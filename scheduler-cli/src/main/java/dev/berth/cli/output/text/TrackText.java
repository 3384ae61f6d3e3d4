package dev.berth.cli.output.text;

import dev.berth.core.api.PointList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.ArtifactView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What jobs told of themselves, for people. */
public final class TrackText {
    private static final int CURVE_ROWS = 12;

    /** Where there is no terminal, or one of any width. */
    private static final int USUAL_COLUMNS = 80;

    private TrackText() {}

    public static Table metrics(TrackingView told) {
        Table table = new Table("METRIC", "LAST", "STEP", "MIN", "MAX", "POINTS");
        for (MetricView metric : told.metrics()) {
            table.row(
                    metric.name(),
                    Figures.of(metric.last().value()),
                    Long.toString(metric.last().step()),
                    at(metric.min()),
                    at(metric.max()),
                    Long.toString(metric.count()));
        }
        return table;
    }

    public static Table parameters(TrackingView told) {
        Table table = new Table("PARAMETER", "VALUE");
        told.params().forEach((name, value) -> table.row(name, value));
        return table;
    }

    public static Table tags(TrackingView told) {
        Table table = new Table("TAG", "VALUE");
        told.tags().forEach((name, value) -> table.row(name, value));
        return table;
    }

    public static Table artifacts(TrackingView told) {
        Table table = new Table("PATH", "NAME", "AT (UTC)");
        for (ArtifactView artifact : told.artifacts()) {
            table.row(artifact.path(), artifact.key() == null ? "" : artifact.key(), Times.minute(artifact.time()));
        }
        return table;
    }

    /** The course of a metric as a picture, and its figures below. */
    public static List<String> curve(PointList points, MetricView metric, int columns, boolean unicode) {
        List<Double> values = new ArrayList<>();
        for (PointView point : points.points()) {
            values.add(point.value());
        }
        int width = columns == 0 ? USUAL_COLUMNS : columns;
        List<String> lines = new ArrayList<>();
        if (metric.min() != null && metric.max() != null) {
            lines.addAll(new CurvePicture(width, CURVE_ROWS, unicode).lines(values));
        }
        lines.add(PlainText.of(metric.name()) + ": last " + at(metric.last()) + ", lowest " + at(metric.min())
                + ", highest " + at(metric.max()) + "; " + metric.count()
                + (metric.count() == 1 ? " point" : " points"));
        return lines;
    }

    private static String at(@Nullable PointView point) {
        return point == null ? "-" : Figures.of(point.value()) + " @" + point.step();
    }
}
