package dev.berth.server.store;

import dev.berth.core.job.StateName;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The jobs of a project; an array is one.
 *
 * @param states how many are in which state
 * @param last when the newest of them was submitted
 */
public record ProjectJobs(String project, SortedMap<StateName, Long> states, Instant last) {
    ProjectJobs(String project, Map<StateName, Long> states, Instant last) {
        this(project, Collections.unmodifiableSortedMap(new TreeMap<>(states)), last);
    }

    public long jobs() {
        return states.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Those that run or wait. */
    public long open() {
        return states.entrySet().stream()
                .filter(state -> !state.getKey().isFinal())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
