package dev.berth.cli.json;

import dev.berth.core.api.PointList;
import dev.berth.core.api.TrackingList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.ArtifactView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import dev.berth.core.api.TrackingView.ProgressView;
import java.util.Objects;

/** What jobs told of themselves out of JSON objects, as {@link Views}. */
public final class TrackingViews {
    private TrackingViews() {}

    public static TrackingView tracking(JsonObject json) {
        return new TrackingView(
                json.number("id"),
                json.text("number"),
                json.text("name"),
                json.text("project"),
                json.text("user"),
                json.text("state"),
                json.text("submittedAt"),
                json.object("params").textsByName(),
                json.object("tags").textsByName(),
                json.objects("metrics", TrackingViews::metric),
                json.objects("artifacts", TrackingViews::artifact),
                json.objectOrNull("progress", TrackingViews::progress),
                json.texts("warnings"));
    }

    public static TrackingList list(JsonObject json) {
        return new TrackingList(json.objects("jobs", TrackingViews::tracking), json.numberOrNull("next"));
    }

    public static PointList points(JsonObject json) {
        return new PointList(
                json.number("id"),
                json.text("number"),
                json.text("metric"),
                json.number("count"),
                json.flag("thinned"),
                json.objects("points", TrackingViews::point),
                json.numberOrNull("next"));
    }

    private static MetricView metric(JsonObject json) {
        return new MetricView(
                json.text("name"),
                json.number("count"),
                Objects.requireNonNull(json.objectOrNull("last", TrackingViews::point)),
                json.objectOrNull("min", TrackingViews::point),
                json.objectOrNull("max", TrackingViews::point));
    }

    private static PointView point(JsonObject json) {
        return new PointView(json.number("step"), json.text("time"), json.real("value"));
    }

    private static ArtifactView artifact(JsonObject json) {
        return new ArtifactView(json.text("path"), json.textOrNull("key"), json.text("time"));
    }

    static ProgressView progress(JsonObject json) {
        return new ProgressView(
                json.real("value"),
                json.real("of"),
                json.textOrNull("unit"),
                json.text("time"),
                json.textOrNull("expectedEnd"));
    }
}
