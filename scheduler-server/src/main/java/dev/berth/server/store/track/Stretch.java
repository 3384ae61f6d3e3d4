package dev.berth.server.store.track;

import java.util.function.Consumer;

/** The points that are wanted of a metric, while all are read one after the other. For one thread. */
final class Stretch {
    private final long from;
    private final long limit;
    private final Consumer<StoredPoint> points;
    private long number;
    private long taken;

    /**
     * A stretch of a metric.
     *
     * @param from the number of its first point
     * @param limit how many points it has at the most
     */
    Stretch(long from, long limit, Consumer<StoredPoint> points) {
        this.from = from;
        this.limit = limit;
        this.points = points;
    }

    long from() {
        return from;
    }

    /** The next point is the one of that number. */
    void at(long now) {
        number = now;
    }

    void take(StoredPoint point) {
        if (number >= from && !isDone()) {
            points.accept(point);
            taken++;
        }
        number++;
    }

    boolean isDone() {
        return taken >= limit;
    }
}
