package dev.berth.server.track.condition;

import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.ToldValues;
import dev.berth.server.store.track.ToldValues.Value;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The name of something that jobs tell: {@code lr} is the parameter of that name, else the last value of the metric, else the
 * tag. {@code param.}, {@code metric.} and {@code tag.} before it say which is meant; {@code :min}, {@code :max},
 * {@code :last} and {@code :count} behind it mean a metric. A tag without a value is {@code true}.
 *
 * @param text as it was written
 * @param name as jobs tell it
 * @param kind what is meant, null for the first of them that there is
 * @param summary which value of a metric is meant
 */
public record ToldName(String text, String name, @Nullable Kind kind, Summary summary) {
    /** What can have a name. */
    enum Kind {
        PARAM,
        METRIC,
        TAG
    }

    /** The values that sum a metric up. */
    enum Summary {
        LAST,
        MIN,
        MAX,
        COUNT
    }

    /** The value by which a metric is ranked: its highest, its lowest, or its last. */
    public static ToldName ranked(String metric, boolean isHighest, boolean isOfLast) {
        Summary summary = isOfLast ? Summary.LAST : isHighest ? Summary.MAX : Summary.MIN;
        return new ToldName(metric + ":" + word(summary), metric, Kind.METRIC, summary);
    }

    /** The name that a text is; every text is one. */
    public static ToldName of(String text) {
        String name = text;
        Kind kind = null;
        for (Kind prefix : Kind.values()) {
            String word = word(prefix) + ".";
            if (name.startsWith(word) && name.length() > word.length()) {
                kind = prefix;
                name = name.substring(word.length());
                break;
            }
        }
        if (kind == null || kind == Kind.METRIC) {
            for (Summary suffix : Summary.values()) {
                String word = ":" + word(suffix);
                if (name.endsWith(word) && name.length() > word.length()) {
                    return new ToldName(text, name.substring(0, name.length() - word.length()), Kind.METRIC, suffix);
                }
            }
        }
        return new ToldName(text, name, kind, Summary.LAST);
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** What a job told by this name; null where it told nothing by it. */
    public @Nullable Value in(ToldValues values) {
        Value parameter = is(Kind.PARAM) ? values.parameters().get(name) : null;
        if (parameter != null) {
            return parameter;
        }
        Metric metric = is(Kind.METRIC) ? values.metrics().get(name) : null;
        if (metric != null) {
            return of(metric);
        }
        String tag = is(Kind.TAG) ? values.tags().get(name) : null;
        return tag == null ? null : Value.of(tag.isEmpty() ? "true" : tag);
    }

    private boolean is(Kind wanted) {
        return kind == null || kind == wanted;
    }

    private @Nullable Value of(Metric metric) {
        StoredPoint point = switch (summary) {
            case LAST -> metric.last();
            case MIN -> metric.min();
            case MAX -> metric.max();
            case COUNT -> null;
        };
        if (summary == Summary.COUNT) {
            return Value.of((double) metric.points());
        }
        return point == null ? null : Value.of(point.value());
    }
}
