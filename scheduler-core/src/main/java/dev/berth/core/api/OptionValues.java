package dev.berth.core.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a job was given of its options, by their fields. In JSON the fields stand in the object that holds this; a field that
 * this version does not know is kept.
 *
 * @param values texts, numbers, flags and lists of texts
 */
public record OptionValues(Map<String, @Nullable Object> values) {
    /** Spelled out, as the annotation of the values gets lost in a compact one. */
    @SuppressWarnings("RedundantRecordConstructor")
    public OptionValues(Map<String, @Nullable Object> values) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Empty where there is none. */
    public String text(String field) {
        return values.get(field) instanceof String text ? text : "";
    }

    /** Empty where there are none. */
    public List<String> texts(String field) {
        return values.get(field) instanceof List<?> items
                ? items.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** For people: items joined by commas, "yes" for a flag; empty where there is nothing to show. */
    public String shown(String field) {
        return switch (values.get(field)) {
            case null -> "";
            case Boolean flag -> flag ? "yes" : "";
            case List<?> items ->
                String.join(", ", items.stream().map(String::valueOf).toList());
            case Object value -> value.toString();
        };
    }
}
