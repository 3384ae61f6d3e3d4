package dev.berth.core.sweep;

import dev.berth.core.sweep.SweepValue.Section;
import java.util.List;
import java.util.Map;

/** One parameter with one of the values of its axis. */
record Setting(Axis axis, int index) {
    String name() {
        return axis.names().get(index);
    }

    SweepValue value() {
        return axis.values().get(index);
    }

    String shown() {
        return axis.dotted() + "=" + PythonText.represented(value().plain());
    }

    /** The parameters with this one set. */
    Section in(Section params) {
        return inserted(params, axis.path());
    }

    private Section inserted(Section section, List<String> path) {
        String first = path.getFirst();
        if (path.size() == 1) {
            return section.with(first, value());
        }
        SweepValue inner = section.entries().getOrDefault(first, new Section(axis.place(), Map.of()));
        if (!(inner instanceof Section map)) {
            throw new SweepRefusal(
                    axis.place(),
                    Quoted.cut(axis.dotted()) + " cannot be set: " + Quoted.cut(first) + " is " + Quoted.of(inner)
                            + " in params (line " + inner.place().line() + "), and no map");
        }
        return section.with(first, inserted(map, path.subList(1, path.size())));
    }
}
