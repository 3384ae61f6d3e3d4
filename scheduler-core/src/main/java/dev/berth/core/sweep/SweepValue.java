package dev.berth.core.sweep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Value of a sweep file, with its place. The place of an entry of a map is that of its key. */
public sealed interface SweepValue {
    SourceLine place();

    /** The value at another place. */
    SweepValue at(SourceLine place);

    /** The value made of maps, lists, texts, {@code Long}, {@code Double}, booleans and null. */
    @Nullable
    Object plain();

    /** The number of values in it, itself among them. */
    int count();

    /** Map in the order of the file. */
    record Section(SourceLine place, Map<String, SweepValue> entries) implements SweepValue {
        public Section {
            entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }

        /** These entries over those of a base: maps are merged entry by entry, anything else takes the other's place. */
        public Section over(Section base) {
            Map<String, SweepValue> merged = new LinkedHashMap<>(base.entries);
            entries.forEach((key, value) -> merged.merge(
                    key,
                    value,
                    (below, above) ->
                            above instanceof Section map && below instanceof Section other ? map.over(other) : above));
            return new Section(place, merged);
        }

        /** With one entry more, or another one. */
        Section with(String key, SweepValue value) {
            Map<String, SweepValue> changed = new LinkedHashMap<>(entries);
            changed.put(key, value);
            return new Section(place, changed);
        }

        @Override
        public Section at(SourceLine other) {
            return new Section(other, entries);
        }

        @Override
        public Map<String, @Nullable Object> plain() {
            Map<String, @Nullable Object> plain = new LinkedHashMap<>();
            entries.forEach((key, value) -> plain.put(key, value.plain()));
            return plain;
        }

        @Override
        public int count() {
            return 1 + entries.values().stream().mapToInt(SweepValue::count).sum();
        }
    }

    /** List. */
    record Items(SourceLine place, List<SweepValue> items) implements SweepValue {
        public Items {
            items = List.copyOf(items);
        }

        @Override
        public Items at(SourceLine other) {
            return new Items(other, items);
        }

        @Override
        public List<@Nullable Object> plain() {
            List<@Nullable Object> plain = new ArrayList<>();
            items.forEach(item -> plain.add(item.plain()));
            return plain;
        }

        @Override
        public int count() {
            return 1 + items.stream().mapToInt(SweepValue::count).sum();
        }
    }

    /** Text, {@code Long}, {@code Double}, boolean or null. */
    record Scalar(SourceLine place, @Nullable Object value) implements SweepValue {
        @Override
        public Scalar at(SourceLine other) {
            return new Scalar(other, value);
        }

        @Override
        public @Nullable Object plain() {
            return value;
        }

        @Override
        public int count() {
            return 1;
        }
    }
}
