package dev.berth.server.store.track;

import java.util.ArrayList;
import java.util.List;

/** A metric that is being written: what is stored of it, and the points that came since. For the writing thread. */
final class OpenSeries {
    private final long id;
    private final List<StoredPoint> fresh = new ArrayList<>();
    private Metric metric;
    private int loose;

    /**
     * A metric as it is stored.
     *
     * @param loose how many of its points are rows of their own
     */
    OpenSeries(long id, Metric metric, int loose) {
        this.id = id;
        this.metric = metric;
        this.loose = loose;
    }

    /** A metric whose first point is still to be stored. */
    static OpenSeries begun(long id, Metric metric, StoredPoint first) {
        OpenSeries series = new OpenSeries(id, metric, 0);
        series.fresh.add(first);
        return series;
    }

    long id() {
        return id;
    }

    Metric metric() {
        return metric;
    }

    int loose() {
        return loose;
    }

    List<StoredPoint> fresh() {
        return fresh;
    }

    boolean isChanged() {
        return !fresh.isEmpty();
    }

    /** The step of a point whose writer gave none. */
    long nextStep() {
        return metric.last().step() + 1;
    }

    void add(StoredPoint point) {
        fresh.add(point);
        metric = metric.with(point);
    }

    /** The fresh points are stored now. */
    void stored(int looseNow) {
        fresh.clear();
        loose = looseNow;
    }
}
