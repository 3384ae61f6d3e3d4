package dev.berth.server.store.track;

import dev.berth.core.job.JobId;
import dev.berth.server.store.track.ToldValues.Value;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Questions about what many jobs told, answered from what was committed. Safe for any thread. */
public final class TrackLists {
    /** Of a longer text what is behind is not read; conditions are shorter. */
    static final int MAX_TEXT = 2_048;

    /** The jobs that are ranked at the most, 8 bytes each. */
    private static final int MAX_RANKED = 1_000_000;

    /** The value of a metric by which jobs are ranked. */
    public enum Rank {
        LOWEST("min_value", "ASC"),
        HIGHEST("max_value", "DESC"),
        LOWEST_LAST("last_value", "ASC"),
        HIGHEST_LAST("last_value", "DESC");

        private final String column;
        private final String direction;

        Rank(String column, String direction) {
            this.column = column;
            this.direction = direction;
        }
    }

    private final TrackReaders readers;

    TrackLists(TrackReaders readers) {
        this.readers = readers;
    }

    private interface Taken {
        void take(ToldValues values, ResultSet row) throws SQLException;
    }

    /**
     * What some jobs told by some names, texts up to 2,048 characters; nothing of those that told nothing by them. All of it is
     * in memory.
     */
    public Map<JobId, ToldValues> values(List<JobId> jobs, Set<String> names) {
        if (jobs.isEmpty() || names.isEmpty()) {
            return Map.of();
        }
        Map<JobId, ToldValues> found = new HashMap<>();
        Boolean _ = readers.ask(connection -> {
            String text = "told.job, told.name, substr(told.value, 1, " + MAX_TEXT + ") AS value FROM";
            eachOf(
                    connection,
                    text,
                    "parameter",
                    jobs,
                    names,
                    found,
                    (values, row) -> values.parameters().put(row.getString("name"), Value.of(row.getString("value"))));
            eachOf(
                    connection,
                    "told.* FROM",
                    "series",
                    jobs,
                    names,
                    found,
                    (values, row) -> values.metrics().put(row.getString("name"), MetricRows.read(row)));
            eachOf(
                    connection,
                    text,
                    "tag",
                    jobs,
                    names,
                    found,
                    (values, row) -> values.tags().put(row.getString("name"), row.getString("value")));
            return true;
        });
        return found;
    }

    private static void eachOf(
            Connection connection,
            String columns,
            String table,
            List<JobId> jobs,
            Set<String> names,
            Map<JobId, ToldValues> found,
            Taken taken)
            throws SQLException {
        // Each job's few by their key; SQLite would else go through all jobs of such a name.
        try (PreparedStatement select = connection.prepareStatement("SELECT " + columns
                + " json_each(?) AS one CROSS JOIN " + table + " AS told ON told.job = one.value AND told.name = ?")) {
            select.setString(1, json(jobs));
            for (String name : names) {
                select.setString(2, name);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        ToldValues values = found.computeIfAbsent(
                                new JobId(row.getLong("job")),
                                _ -> new ToldValues(new HashMap<>(), new HashMap<>(), new HashMap<>()));
                        taken.take(values, row);
                    }
                }
            }
        }
    }

    /**
     * Those of some jobs with a tag.
     *
     * @param jobs those that have it
     * @param given those whose tags are all here, also the ones that they were submitted with
     */
    public record Tagged(Set<JobId> jobs, Set<JobId> given) {
        public static final Tagged NONE = new Tagged(Set.of(), Set.of());

        public Tagged {
            jobs = Set.copyOf(jobs);
            given = Set.copyOf(given);
        }
    }

    /**
     * The jobs among some with a tag, as its name or as {@code name=value}.
     *
     * @param isWhole whether it must be this very tag; else a part of it is enough, in lower case as far as it is ASCII
     */
    public Tagged tagged(List<JobId> jobs, String tag, boolean isWhole) {
        String rule = isWhole
                ? "tag.name = ?2 OR tag.name || '=' || tag.value = ?2"
                : "instr(lower(tag.name || iif(tag.value = '', '', '=' || tag.value)), ?2) > 0";
        // Each job's few by their key; SQLite would else go through all tags.
        String tagged =
                "SELECT DISTINCT tag.job FROM json_each(?1) AS one CROSS JOIN tag ON tag.job = one.value WHERE " + rule;
        String given = "SELECT tracked.job FROM json_each(?1) AS one CROSS JOIN tracked ON tracked.job = one.value"
                + " WHERE tracked.given = 1";
        return readers.ask(
                connection -> new Tagged(ids(connection, tagged, jobs, tag), ids(connection, given, jobs, null)));
    }

    private static Set<JobId> ids(Connection connection, String sql, List<JobId> jobs, @Nullable String tag)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, json(jobs));
            if (tag != null) {
                select.setString(2, tag);
            }
            Set<JobId> ids = new HashSet<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    ids.add(new JobId(row.getLong(1)));
                }
            }
            return ids;
        }
    }

    /** The newest jobs before an id that told something, the newest first. */
    public List<JobId> tracked(long before, int limit) {
        return readers.ask(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT job FROM tracked WHERE job < ? ORDER BY job DESC LIMIT ?")) {
                select.setLong(1, before);
                select.setInt(2, limit);
                List<JobId> ids = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        ids.add(new JobId(row.getLong(1)));
                    }
                }
                return ids;
            }
        });
    }

    /**
     * The ids of the jobs with a metric, the best first, of equal ones the oldest, a million at the most; not those that have no
     * number. All of one moment.
     */
    public long[] ranked(String metric, Rank rank) {
        return readers.ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT job FROM series WHERE name = ? AND "
                    + rank.column + " IS NOT NULL ORDER BY " + rank.column + " " + rank.direction + ", job LIMIT ?")) {
                select.setString(1, metric);
                select.setInt(2, MAX_RANKED);
                LongStream.Builder ids = LongStream.builder();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        ids.add(row.getLong(1));
                    }
                }
                return ids.build().toArray();
            }
        });
    }

    /** The names of the metrics of some jobs, in order, some of them. */
    public List<String> metricNames(List<JobId> jobs, int limit) {
        return readers.ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT DISTINCT name FROM series WHERE job IN"
                    + " (SELECT value FROM json_each(?)) ORDER BY name LIMIT ?")) {
                select.setString(1, json(jobs));
                select.setInt(2, limit);
                List<String> names = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        names.add(row.getString(1));
                    }
                }
                return names;
            }
        });
    }

    /** The numbers as {@code json_each} takes them. */
    private static String json(List<JobId> jobs) {
        return jobs.stream().map(JobId::value).toList().toString();
    }
}
