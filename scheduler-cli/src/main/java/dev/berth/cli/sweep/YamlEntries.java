package dev.berth.cli.sweep;

import dev.berth.core.sweep.SourceLine;
import dev.berth.core.sweep.SweepRefusal;
import dev.berth.core.sweep.SweepValue;
import dev.berth.core.sweep.SweepValue.Items;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Entries of one map as they come, each key once; those that {@code <<} brings stand before them and count less. */
final class YamlEntries {
    private static final String MERGE = "<<";

    private final Map<String, SweepValue> own = new LinkedHashMap<>();
    private final Map<String, SweepValue> brought = new LinkedHashMap<>();

    void add(SourceLine place, String key, boolean isPlain, SweepValue value) {
        if (isPlain && key.equals(MERGE)) {
            bring(place, value);
            return;
        }
        SweepValue before = own.putIfAbsent(key, value.at(place));
        if (before != null) {
            throw new SweepRefusal(
                    place, "'" + key + "' stands in line " + before.place().line() + " already; keep one of the two");
        }
    }

    /** Of several maps the first counts most. */
    private void bring(SourceLine place, SweepValue value) {
        List<SweepValue> maps = value instanceof Items items ? items.items() : List.of(value);
        for (SweepValue map : maps.reversed()) {
            if (!(map instanceof Section section)) {
                throw new SweepRefusal(place, "<< takes an alias of a map, or a list of them");
            }
            brought.putAll(section.entries());
        }
    }

    Map<String, SweepValue> merged() {
        if (brought.isEmpty()) {
            return own;
        }
        Map<String, SweepValue> merged = new LinkedHashMap<>(brought);
        merged.putAll(own);
        return merged;
    }
}
