package dev.berth.core.api;

import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a job told of itself, but for the points of its metrics. Times are ISO 8601; a value that is no number of JSON is one of
 * the texts {@code NaN}, {@code Infinity} and {@code -Infinity}.
 *
 * @param number what people call the job
 * @param state one of the state names
 * @param params the values of its sweep, and what its program told
 * @param tags a word's value may be empty
 * @param progress null where it told of none
 * @param warnings what was left out, and why, a sentence each
 */
public record TrackingView(
        long id,
        String number,
        String name,
        String project,
        String user,
        String state,
        String submittedAt,
        SequencedMap<String, String> params,
        SequencedMap<String, String> tags,
        List<MetricView> metrics,
        List<ArtifactView> artifacts,
        @Nullable ProgressView progress,
        List<String> warnings) {
    /**
     * A metric, summed up.
     *
     * @param min the lowest point, null where no value was a number
     * @param max the highest point, null where no value was a number
     */
    public record MetricView(
            String name,
            long count,
            PointView last,
            @Nullable PointView min,
            @Nullable PointView max) {}

    /** A point of a metric. */
    public record PointView(long step, String time, double value) {}

    /**
     * A file of the job's output that its program named.
     *
     * @param path below the output directory
     * @param key what to call it, null for its path
     */
    public record ArtifactView(String path, @Nullable String key, String time) {}

    /**
     * How far the program is.
     *
     * @param of the value at its end
     * @param expectedEnd when it would be there at the speed up to now; null where that cannot be told
     */
    public record ProgressView(
            double value,
            double of,
            @Nullable String unit,
            String time,
            @Nullable String expectedEnd) {}
}
