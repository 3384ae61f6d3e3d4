package dev.berth.core.api;

import dev.berth.core.option.JobOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values that were given of a job's options, in a request or in the end, by their fields. In JSON the fields stand
 * in the object that holds this; a field that this version does not know is kept.
 *
 * @param values texts, numbers, flags, lists of texts and, in requests, a map of variables
 */
public record OptionValues(Map<String, @Nullable Object> values) {
    /** Spelled out, as the annotation of the values gets lost in a compact one. */
    @SuppressWarnings("RedundantRecordConstructor")
    public OptionValues(Map<String, @Nullable Object> values) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Whether an option is there; a flag that is false is not. */
    public boolean has(JobOption option) {
        Object value = values.get(option.field());
        return value != null && !value.equals(false);
    }

    /**
     * The value of an option; null where there is none.
     *
     * @throws ClassCastException where the option is of another kind
     */
    public <T> @Nullable T get(JobOption option, Class<T> type) {
        return type.cast(values.get(option.field()));
    }

    /** As they were given, which may be null each; empty where there are none. */
    @SuppressWarnings("unchecked")
    public List<@Nullable String> texts(JobOption option) {
        List<@Nullable String> texts = get(option, List.class);
        return texts == null ? List.of() : texts;
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
