package dev.berth.core.sweep;

import dev.berth.core.parameter.Parameters;
import dev.berth.core.sweep.SweepValue.Items;
import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Expansion: one key that makes several configurations of each that it is given.
 *
 * @param key as it is written
 */
record Expansion(SourceLine place, String key, Kind kind, List<Axis> axes) {
    Expansion {
        axes = List.copyOf(axes);
    }

    /** How the values of several parameters are put together. */
    enum Kind {
        /** Each with each. */
        GRID("grid"),
        /** The first with the first, the second with the second. */
        LIST("list"),
        /** One value of one parameter at a time. */
        ABLATIVE("ablative");

        static final List<String> PREFIXES = List.of("grid", "list", "ablative");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }

        /** The kind of a key by how it begins, or null. */
        static @Nullable Kind of(String key) {
            for (Kind kind : values()) {
                if (key.startsWith(kind.prefix)) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** The steps of an experiment, in the order of its keys. */
    static List<Expansion> all(Section content) {
        List<Expansion> steps = new ArrayList<>();
        content.entries().forEach((key, value) -> {
            Kind kind = Kind.of(key);
            if (kind != null) {
                steps.add(of(key, kind, value));
            }
        });
        return steps;
    }

    private static Expansion of(String key, Kind kind, SweepValue value) {
        if (!(value instanceof Section section)) {
            throw new SweepRefusal(
                    value.place(),
                    key + ": begins with " + kind.prefix + ", so it is a map of parameters, each with a list of values,"
                            + " and not " + Quoted.of(value));
        }
        List<Axis> axes = new ArrayList<>();
        addAxes(axes, key, List.of(), section);
        Expansion step = new Expansion(value.place(), key, kind, axes);
        if (kind == Kind.LIST) {
            step.requireSameLengths();
        }
        return step;
    }

    private static void addAxes(List<Axis> axes, String key, List<String> above, Section section) {
        if (section.entries().isEmpty()) {
            throw new SweepRefusal(section.place(), dotted(key, above) + ": is empty; give it a parameter with a list");
        }
        for (Map.Entry<String, SweepValue> entry : section.entries().entrySet()) {
            List<String> path = new ArrayList<>(above);
            path.add(entry.getKey());
            switch (entry.getValue()) {
                case Section nested -> addAxes(axes, key, path, nested);
                case Items items
                when !items.items().isEmpty() -> axes.add(new Axis(items.place(), path, items.items()));
                default ->
                    throw new SweepRefusal(
                            entry.getValue().place(),
                            dotted(key, path) + ": "
                                    + (entry.getValue() instanceof Items
                                            ? "has no values"
                                            : Quoted.of(entry.getValue()) + " is not a list of values")
                                    + "; write [1, 2], also for a single one, or set it under params");
            }
        }
    }

    private static String dotted(String key, List<String> path) {
        return Quoted.cut(path.isEmpty() ? key : key + "." + String.join(".", path));
    }

    private void requireSameLengths() {
        Axis first = axes.getFirst();
        for (Axis axis : axes) {
            if (axis.size() != first.size()) {
                throw new SweepRefusal(
                        place,
                        key + ": takes values side by side, and " + Quoted.cut(first.dotted()) + " has " + first.size()
                                + " of them but " + Quoted.cut(axis.dotted()) + " has " + axis.size()
                                + "; give all the same number, or use grid for each with each");
            }
        }
    }

    /** The number of configurations that it makes of one; {@link Long#MAX_VALUE} for more than are counted. */
    long count() {
        return switch (kind) {
            case LIST -> axes.getFirst().size();
            case ABLATIVE -> axes.stream().mapToLong(Axis::size).sum();
            case GRID -> {
                long product = 1;
                for (Axis axis : axes) {
                    product = Parameters.product(product, axis.size());
                }
                yield product;
            }
        };
    }

    /** What the configuration of this number has set. */
    List<Setting> settings(int number) {
        return switch (kind) {
            case LIST -> axes.stream().map(axis -> new Setting(axis, number)).toList();
            case ABLATIVE -> {
                int left = number;
                int at = 0;
                while (left >= axes.get(at).size()) {
                    left -= axes.get(at++).size();
                }
                yield List.of(new Setting(axes.get(at), left));
            }
            case GRID -> {
                Setting[] settings = new Setting[axes.size()];
                int left = number;
                for (int at = axes.size() - 1; at >= 0; at--) {
                    int size = axes.get(at).size();
                    settings[at] = new Setting(axes.get(at), left % size);
                    left /= size;
                }
                yield List.of(settings);
            }
        };
    }
}
