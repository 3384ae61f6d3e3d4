package dev.berth.server.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The order of a list of jobs by a column; jobs with the same value are in that of their numbers.
 *
 * @param isDown whether the greatest value comes first. Jobs without a value come last in either direction
 */
public record JobOrder(Column column, boolean isDown) {
    /** The greatest number of SQLite, behind all times. */
    private static final String LAST = "9223372036854775807";

    /** The place of the time of the question, in microseconds. */
    private static final String NOW = "@now";

    /** What a list can be ordered by. */
    public enum Column {
        ID("id"),
        NAME("name COLLATE NOCASE"),
        PROJECT("project COLLATE NOCASE"),
        USER("user COLLATE NOCASE"),
        STATE(shownState()),
        GPUS("gpu_milli"),
        SUBMITTED("submitted_at"),
        STARTED("started_at"),
        ENDED("ended_at"),
        DURATION("(coalesce(ended_at, " + NOW + ") - started_at)");

        private final String sql;

        Column(String sql) {
            this.sql = sql;
        }

        /** The word by which it is asked for. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The column of such a word. */
        public static Optional<Column> parse(String word) {
            return Arrays.stream(values())
                    .filter(column -> column.word().equals(word))
                    .findFirst();
        }

        /** All the words. */
        public static List<String> words() {
            return Arrays.stream(values()).map(Column::word).toList();
        }

        private static String shownState() {
            return StoredState.OWN_WORDS.stream()
                    .map(word -> " WHEN '" + word + "' THEN '" + StoredState.shown(word) + "'")
                    .reduce("(CASE state", String::concat)
                    .concat(" ELSE state END)");
        }
    }

    /** What is ordered by, at a time: it is null for no job. */
    String sql(long nowMicros) {
        String value = column.sql.replace(NOW, Long.toString(nowMicros));
        return switch (column) {
            case STARTED, ENDED, DURATION -> "coalesce(" + value + ", " + (isDown ? "-1" : LAST) + ")";
            default -> value;
        };
    }

    /** The direction as SQL has it. */
    String direction() {
        return isDown ? " DESC" : " ASC";
    }

    /** The comparison of what comes behind something. */
    String behind() {
        return isDown ? " < " : " > ";
    }
}
