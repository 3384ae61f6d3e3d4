package dev.berth.core.api;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A project: the jobs of one user that were submitted under its name.
 *
 * @param user whose it is
 * @param jobs how many there are; an array is one
 * @param states how many of them are in which state
 * @param lastSubmittedAt when the newest of them was submitted; null where there is none any more, but notes
 * @param notes the first line of its notes, for their owner and administrators; null where there is none
 */
public record ProjectView(
        String project,
        String user,
        long jobs,
        SortedMap<String, Long> states,
        @Nullable String lastSubmittedAt,
        @Nullable String notes) {}
