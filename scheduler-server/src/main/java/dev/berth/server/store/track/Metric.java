package dev.berth.server.store.track;

import org.jspecify.annotations.Nullable;

/**
 * A metric of a job, summed up.
 *
 * @param points how many it has
 * @param min the first of the lowest, null where no value was a number
 * @param max the first of the highest, null where no value was a number
 */
public record Metric(
        String name,
        long points,
        StoredPoint last,
        @Nullable StoredPoint min,
        @Nullable StoredPoint max) {
    /** The same with one more point. */
    Metric with(StoredPoint point) {
        return new Metric(
                name,
                points + 1,
                point,
                Double.isNaN(point.value()) || (min != null && min.value() <= point.value()) ? min : point,
                Double.isNaN(point.value()) || (max != null && max.value() >= point.value()) ? max : point);
    }

    /** A metric with its first point. */
    static Metric of(String name, StoredPoint point) {
        StoredPoint number = Double.isNaN(point.value()) ? null : point;
        return new Metric(name, 1, point, number, number);
    }
}
