package dev.berth.server.usage;

import dev.berth.server.usage.Sample.Figure;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The mean of the samples of one period, each figure by itself: what nobody told counts for nothing. */
final class Rollup {
    private static final long NEVER = Long.MIN_VALUE;

    private final Map<Figure, Sum> sums = new EnumMap<>(Figure.class);
    private long period = NEVER;

    private record Sum(long total, long weight) {
        Sum plus(Sum other) {
            return new Sum(total + other.total, weight + other.weight);
        }

        int mean() {
            return (int) Math.floorDiv(2 * total + weight, 2 * weight);
        }
    }

    /** Begins a period anew. */
    void begin(long next) {
        sums.clear();
        period = next;
    }

    boolean isIn(long other) {
        return period == other;
    }

    boolean hasBegun() {
        return period != NEVER;
    }

    long period() {
        return period;
    }

    /** Takes a sample in. */
    void add(Sample sample) {
        for (Figure figure : Figure.values()) {
            Integer value = figure.of(sample);
            if (value != null) {
                sums.merge(figure, new Sum(value, 1), Sum::plus);
            }
        }
    }

    Sample mean() {
        return new Sample(mean(Figure.UTILISATION), mean(Figure.TEMPERATURE), mean(Figure.POWER), mean(Figure.MEMORY));
    }

    private @Nullable Integer mean(Figure figure) {
        Sum sum = sums.get(figure);
        return sum == null ? null : sum.mean();
    }
}
