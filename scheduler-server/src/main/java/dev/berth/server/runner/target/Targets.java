package dev.berth.server.runner.target;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** The targets that are set up, by their names. */
public record Targets(SortedMap<String, Target> all) {
    /** None. */
    public static final Targets NONE = new Targets(new TreeMap<>());

    public Targets {
        all = Collections.unmodifiableSortedMap(new TreeMap<>(all));
    }

    /** A target. */
    public record Target(TargetSettings settings, TargetEngine engine) {}
}
