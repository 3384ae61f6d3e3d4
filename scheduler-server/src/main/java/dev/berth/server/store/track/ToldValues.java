package dev.berth.server.store.track;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a job told by some names, each of which may be a parameter, a metric, a tag, or several of these.
 *
 * @param parameters their values
 * @param metrics the metrics, summed up
 * @param tags their values, which may be empty
 */
public record ToldValues(Map<String, Value> parameters, Map<String, Metric> metrics, Map<String, String> tags) {
    /** Values of a job that told nothing by these names. */
    public static final ToldValues NONE = new ToldValues(Map.of(), Map.of(), Map.of());

    /**
     * A value as it was told.
     *
     * @param number the value as a number, null where it is none
     */
    public record Value(String text, @Nullable Double number) {
        /** A number, in the shortest text that stands for it. */
        public static Value of(double number) {
            return new Value(Numbers.text(number), number);
        }

        /** A text, which may be that of a number; one beyond what 64 bits hold, such as some digests, is none. */
        public static Value of(String text) {
            Double number = Numbers.number(text);
            boolean isBeyond = number != null
                    && number.isInfinite()
                    && text.chars().anyMatch(letter -> letter >= '0' && letter <= '9');
            return new Value(text, isBeyond ? null : number);
        }
    }
}
