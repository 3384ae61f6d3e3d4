package dev.berth.server.http.view;

import dev.berth.core.api.PointList;
import dev.berth.core.api.TrackingView;
import dev.berth.core.api.TrackingView.ArtifactView;
import dev.berth.core.api.TrackingView.MetricView;
import dev.berth.core.api.TrackingView.PointView;
import dev.berth.core.api.TrackingView.ProgressView;
import dev.berth.core.job.Job;
import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.Reading.Omission;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.TrackQueries.StoredProgress;
import dev.berth.server.store.track.TrackQueries.Tracked;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The records of what jobs told of themselves. */
public final class TrackViews {
    /** Names that are shown where another was asked for. */
    private static final int SHOWN_NAMES = 10;

    /** Longer is not expected of any program. */
    private static final double MAX_MILLIS_LEFT = 1e12;

    private TrackViews() {}

    public static TrackingView of(Job job, Tracked tracked) {
        StoredProgress progress = tracked.progress();
        return new TrackingView(
                job.id().value(),
                job.number(),
                job.spec().label().name(),
                job.spec().label().project(),
                job.owner().name(),
                job.state().name().name(),
                JobViews.text(job.submittedAt()),
                tracked.parameters(),
                tags(job, tracked),
                tracked.metrics().stream().map(TrackViews::metric).toList(),
                tracked.artifacts().stream()
                        .map(artifact -> new ArtifactView(artifact.path(), artifact.key(), time(artifact.millis())))
                        .toList(),
                progress == null ? null : progress(progress, job.state().name().isFinal()),
                tracked.omissions().stream().map(TrackViews::warning).toList());
    }

    private static SequencedMap<String, String> tags(Job job, Tracked tracked) {
        SequencedMap<String, String> tags = new TreeMap<>(tracked.tags());
        if (!tracked.isGiven()) {
            job.spec().label().tags().forEach(tag -> tags.putIfAbsent(tag, ""));
        }
        return tags;
    }

    /**
     * Points of a metric.
     *
     * @param isThinned whether they show its course alone
     * @param next the number of the one that follows, null where none does
     */
    public static PointList points(
            Job job, Metric metric, List<StoredPoint> points, boolean isThinned, @Nullable Long next) {
        return new PointList(
                job.id().value(),
                job.number(),
                metric.name(),
                metric.points(),
                isThinned,
                points.stream().map(TrackViews::point).toList(),
                next);
    }

    /** The sentence for a metric that a job did not tell. */
    public static String noSuchMetric(Job job, String asked, List<String> names) {
        String first = "metric: job " + job.number() + " has told no metric '" + asked + "'";
        if (names.isEmpty()) {
            return first + ", nor any other; a program tells them in the file $BERTH_TRACK";
        }
        String others = names.size() > SHOWN_NAMES ? " and " + (names.size() - SHOWN_NAMES) + " others" : "";
        return first + "; there is " + String.join(", ", names.subList(0, Math.min(names.size(), SHOWN_NAMES)))
                + others;
    }

    private static MetricView metric(Metric metric) {
        StoredPoint min = metric.min();
        StoredPoint max = metric.max();
        return new MetricView(
                metric.name(),
                metric.points(),
                point(metric.last()),
                min == null ? null : point(min),
                max == null ? null : point(max));
    }

    private static PointView point(StoredPoint point) {
        return new PointView(point.step(), time(point.millis()), point.value());
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    private static String warning(Omission omission) {
        return omission.times() == 1 ? omission.sentence() : omission.sentence() + " (" + omission.times() + " times)";
    }

    static ProgressView progress(StoredProgress progress, boolean hasEnded) {
        return new ProgressView(
                progress.value(),
                progress.of(),
                progress.unit(),
                time(progress.millis()),
                hasEnded ? null : expectedEnd(progress).map(Instant::toString).orElse(null));
    }

    /** When it would be at its end at the speed up to now. */
    static Optional<Instant> expectedEnd(StoredProgress progress) {
        double done = progress.value() - progress.first();
        double left = progress.of() - progress.value();
        double millisLeft = left * (progress.millis() - progress.firstMillis()) / done;
        boolean isKnown = done > 0 && left >= 0 && millisLeft >= 0 && millisLeft < MAX_MILLIS_LEFT;
        return isKnown ? Optional.of(Instant.ofEpochMilli(progress.millis() + (long) millisLeft)) : Optional.empty();
    }
}
