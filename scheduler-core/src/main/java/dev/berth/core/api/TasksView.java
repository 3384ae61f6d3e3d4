package dev.berth.core.api;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The tasks of an array.
 *
 * @param count how many there are
 * @param waiting the indices of those that have had no turn, as ranges; empty where all have, or the array has ended
 * @param states how many are in which state; together all of them
 */
public record TasksView(long count, String waiting, SortedMap<String, Long> states) {
    public TasksView {
        states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
    }

    /** How many are in a state. */
    public long in(String state) {
        return states.getOrDefault(state, 0L);
    }
}
