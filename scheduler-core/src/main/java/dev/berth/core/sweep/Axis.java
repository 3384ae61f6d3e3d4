package dev.berth.core.sweep;

import java.util.List;

/**
 * Axis of an expansion: a parameter with the values that it takes.
 *
 * @param path the parameter's name, behind those of the maps that it is in
 * @param names for each value the part of a run's name
 */
record Axis(SourceLine place, List<String> path, List<SweepValue> values, List<String> names) {
    Axis {
        path = List.copyOf(path);
    }

    Axis(SourceLine place, List<String> path, List<SweepValue> values) {
        this(
                place,
                path,
                values,
                values.stream().map(value -> ShortName.of(path, value)).toList());
    }

    int size() {
        return values.size();
    }

    String dotted() {
        return String.join(".", path);
    }
}
