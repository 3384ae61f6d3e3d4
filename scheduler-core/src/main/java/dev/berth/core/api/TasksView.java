package dev.berth.core.api;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of an array.
 *
 * @param count how many there are
 * @param waiting the indices of those that have had no turn, as ranges; empty where all have, or the array has ended
 * @param states how many are in which state; together all of them
 * @param unstarted the indices of those that ended with their array and had no turn, as ranges; empty for none
 * @param unstartedState the state of those, null for none
 */
public record TasksView(
        long count,
        String waiting,
        SortedMap<String, Long> states,
        String unstarted,
        @Nullable String unstartedState) {
    public TasksView {
        states = Collections.unmodifiableSortedMap(new TreeMap<>(states));
    }

    /** How many are in a state. */
    public long in(String state) {
        return states.getOrDefault(state, 0L);
    }
}
