package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a log that have a text, in the part of it that was looked at.
 *
 * @param matches in the order in which they begin
 * @param next where to go on; null at the end of the log
 * @param start the offset of the first byte that is kept
 * @param end the offset behind the last byte that was looked at
 */
public record LogMatches(List<LogMatch> matches, @Nullable Long next, long start, long end) {
    public LogMatches {
        matches = List.copyOf(matches);
    }

    /**
     * A line that has the text.
     *
     * @param offset where in the log it begins
     * @param at when its first bytes arrived
     * @param stream {@code stdout} or {@code stderr}; {@code berth} for Berth's own words
     * @param text what is around the place, without escape sequences
     */
    public record LogMatch(long offset, String at, String stream, String text) {}
}
