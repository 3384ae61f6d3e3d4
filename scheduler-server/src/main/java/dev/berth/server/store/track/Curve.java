package dev.berth.server.store.track;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The course of a metric by fewer points: of each stretch the lowest, the highest and the last one, in the order in which they
 * came. A value that is no number is neither lowest nor highest. For one thread.
 */
final class Curve {
    private final long all;
    private final int stretches;
    private final List<StoredPoint> points = new ArrayList<>();
    private long number;
    private long stretch;
    private @Nullable Numbered lowest;
    private @Nullable Numbered highest;
    private @Nullable Numbered last;

    private record Numbered(long number, StoredPoint point) {}

    /**
     * A curve of so many points, of which none was seen yet.
     *
     * @param stretches in how many pieces they are looked at
     */
    Curve(long all, int stretches) {
        this.all = all;
        this.stretches = stretches;
    }

    void add(StoredPoint point) {
        long now = all <= stretches ? number : number * stretches / all;
        if (now != stretch) {
            close();
            stretch = now;
        }
        Numbered numbered = new Numbered(number++, point);
        double value = point.value();
        if (!Double.isNaN(value)) {
            if (lowest == null || value < lowest.point.value()) {
                lowest = numbered;
            }
            if (highest == null || value > highest.point.value()) {
                highest = numbered;
            }
        }
        last = numbered;
    }

    /** One point that is two or three of them is there once. */
    private void close() {
        Numbered first = lowest;
        Numbered second = highest;
        if (first != null && second != null && first.number > second.number) {
            first = highest;
            second = lowest;
        }
        long before = -1;
        for (Numbered next : new @Nullable Numbered[] {first, second, last}) {
            if (next != null && next.number > before) {
                points.add(next.point);
                before = next.number;
            }
        }
        lowest = null;
        highest = null;
        last = null;
    }

    List<StoredPoint> points() {
        close();
        return points;
    }
}
