package dev.berth.core.sweep;

import dev.berth.core.sweep.SweepValue.Items;
import dev.berth.core.sweep.SweepValue.Scalar;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of sweep files out of Java's maps and lists; all of them stand in line 1. */
final class Values {
    private static final SourceLine PLACE = new SourceLine("sweep.yml", 1);

    private Values() {}

    static Section map(Object... keysAndValues) {
        Map<String, SweepValue> entries = new LinkedHashMap<>();
        for (int at = 0; at < keysAndValues.length; at += 2) {
            entries.put(String.valueOf(keysAndValues[at]), of(keysAndValues[at + 1]));
        }
        return new Section(PLACE, entries);
    }

    static SweepValue of(@Nullable Object value) {
        return switch (value) {
            case SweepValue already -> already;
            case List<?> items ->
                new Items(PLACE, items.stream().map(Values::of).toList());
            case Integer number -> new Scalar(PLACE, number.longValue());
            case null -> new Scalar(PLACE, null);
            default -> new Scalar(PLACE, value);
        };
    }

    static SweepFile file(String name, SweepValue... documents) {
        return SweepFile.of(name, List.of(documents));
    }

    /** The runs of a file that imports nothing. */
    static List<SweepRun> runs(SweepValue... documents) {
        return Sweep.runs(file("sweep.yml", documents), List.of(), (_, path, _) -> {
            throw new IllegalStateException("imports " + path);
        });
    }
}
