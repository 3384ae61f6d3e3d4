package dev.berth.server.track.source;

import dev.berth.server.store.track.Entry;
import dev.berth.server.track.source.Problem.Kind;
import java.util.ArrayList;
import java.util.List;

/** Entries and problems that a reader gave. */
record Told(List<Entry> entries, List<Problem> problems) {
    Told() {
        this(new ArrayList<>(), new ArrayList<>());
    }

    List<Kind> kinds() {
        return problems.stream().map(Problem::kind).toList();
    }
}
