package dev.berth.server.store.track;

import dev.berth.core.job.JobId;
import dev.berth.server.store.database.ReadConnections;
import dev.berth.server.store.track.Reading.Omission;
import dev.berth.server.store.track.ToldValues.Value;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Questions about what programs told of their jobs, answered from what was committed. Safe for any thread. */
public final class TrackQueries implements AutoCloseable {
    private final ReadConnections readers;

    /**
     * Questions to the database in that file, which a {@link TrackStore} has open.
     */
    public TrackQueries(Path file) {
        this.readers = new ReadConnections(file, _ -> {});
    }

    /**
     * What a program told of how far it is.
     *
     * @param millis since 1970, when it said so
     * @param attempt the one that said so
     * @param first what it said at first, at {@code firstMillis}, in the same count
     */
    public record StoredProgress(
            double value, double of, @Nullable String unit, long millis, int attempt, double first, long firstMillis) {}

    /**
     * A file that a program named.
     *
     * @param millis since 1970, when it said so
     */
    public record StoredArtifact(String path, @Nullable String key, long millis) {}

    /** All that a job told, but for the points of its metrics; names in order. */
    public record Tracked(
            SequencedMap<String, String> parameters,
            SequencedMap<String, String> tags,
            List<Metric> metrics,
            List<StoredArtifact> artifacts,
            @Nullable StoredProgress progress,
            List<Omission> omissions) {
        public Tracked {
            metrics = List.copyOf(metrics);
            artifacts = List.copyOf(artifacts);
            omissions = List.copyOf(omissions);
        }
    }

    /** All that a job told; all empty where it told nothing. */
    public Tracked of(JobId job) {
        return readers.ask(connection -> new Tracked(
                texts(connection, "parameter", job),
                texts(connection, "tag", job),
                rows(connection, "SELECT * FROM series WHERE job = ? ORDER BY name", job, MetricRows::read),
                rows(
                        connection,
                        "SELECT path, key, at FROM artifact WHERE job = ? ORDER BY path",
                        job,
                        row -> new StoredArtifact(row.getString(1), row.getString(2), row.getLong(3))),
                rows(
                                connection,
                                "SELECT * FROM tracked WHERE job = ? AND progress IS NOT NULL",
                                job,
                                TrackQueries::progress)
                        .stream()
                        .findFirst()
                        .orElse(null),
                rows(
                        connection,
                        "SELECT kind, sentence, times FROM omission WHERE job = ? ORDER BY kind",
                        job,
                        row -> new Omission(row.getString(1), row.getString(2), row.getLong(3)))));
    }

    /** What some jobs told by some names; nothing of those that told nothing by them. */
    public Map<JobId, ToldValues> values(List<JobId> jobs, Set<String> names) {
        if (jobs.isEmpty() || names.isEmpty()) {
            return Map.of();
        }
        Map<JobId, ToldValues> found = new HashMap<>();
        Boolean _ = readers.ask(connection -> {
            eachOf(
                    connection,
                    "parameter",
                    jobs,
                    names,
                    (values, row) -> {
                        double number = row.getDouble("number");
                        Double known = row.wasNull() ? null : (Double) number;
                        values.parameters().put(row.getString("name"), new Value(row.getString("value"), known));
                    },
                    found);
            eachOf(
                    connection,
                    "series",
                    jobs,
                    names,
                    (values, row) -> values.metrics().put(row.getString("name"), MetricRows.read(row)),
                    found);
            eachOf(
                    connection,
                    "tag",
                    jobs,
                    names,
                    (values, row) -> values.tags().put(row.getString("name"), row.getString("value")),
                    found);
            return true;
        });
        return found;
    }

    private interface Taken {
        void take(ToldValues values, ResultSet row) throws SQLException;
    }

    private static void eachOf(
            Connection connection,
            String table,
            List<JobId> jobs,
            Set<String> names,
            Taken taken,
            Map<JobId, ToldValues> found)
            throws SQLException {
        // Each job's few by their key; SQLite would else go through all jobs of such a name.
        try (PreparedStatement select = connection.prepareStatement("SELECT told.* FROM json_each(?) AS one CROSS JOIN "
                + table + " AS told ON told.job = one.value AND told.name = ?")) {
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

    /** The newest jobs before an id that told something, the newest first. */
    public List<JobId> tracked(long before, int limit) {
        return readers.ask(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT job FROM tracked WHERE job < ? ORDER BY job DESC LIMIT ?")) {
                select.setLong(1, before);
                select.setInt(2, limit);
                return ids(select);
            }
        });
    }

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

    /**
     * Jobs with a metric, the best first, of equal ones the oldest; not those that have no number.
     *
     * @param without so many of the best are left out
     * @param limit how many at the most
     */
    public List<JobId> ranked(String metric, Rank rank, int without, int limit) {
        return readers.ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT job FROM series WHERE name = ? AND " + rank.column + " IS NOT NULL ORDER BY " + rank.column
                            + " " + rank.direction + ", job LIMIT ? OFFSET ?")) {
                select.setString(1, metric);
                select.setInt(2, limit);
                select.setInt(3, without);
                return ids(select);
            }
        });
    }

    /** The names of metrics that jobs told last, in order: some for those who ask for one that nobody told. */
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

    private static List<JobId> ids(PreparedStatement select) throws SQLException {
        List<JobId> ids = new ArrayList<>();
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                ids.add(new JobId(row.getLong(1)));
            }
        }
        return ids;
    }

    /** How far some jobs are, as they said last; nothing of those that said nothing of it. */
    public Map<JobId, StoredProgress> progress(List<JobId> jobs) {
        return readers.ask(connection -> {
            Map<JobId, StoredProgress> told = new HashMap<>();
            String places = String.join(",", Collections.nCopies(jobs.size(), "?"));
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT * FROM tracked WHERE job IN (" + places + ") AND progress IS NOT NULL")) {
                for (int at = 0; at < jobs.size(); at++) {
                    select.setLong(at + 1, jobs.get(at).value());
                }
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        told.put(new JobId(row.getLong("job")), progress(row));
                    }
                }
            }
            return told;
        });
    }

    /** A metric of a job, summed up. */
    public Optional<Metric> metric(JobId job, String name) {
        return readers.ask(connection -> find(connection, job, name).map(OpenSeries::metric));
    }

    /**
     * Points of a metric in the order in which they came, from the one of a number on; none where there is no such metric.
     *
     * @param limit how many at the most
     */
    public List<StoredPoint> points(JobId job, String name, long from, int limit) {
        List<StoredPoint> points = new ArrayList<>();
        read(job, name, from, limit, points::add);
        return points;
    }

    /**
     * Points that show the course of a metric: of each of so many stretches of it, all as long, the lowest, the highest and the
     * last one, in the order in which they came.
     */
    public List<StoredPoint> curve(JobId job, Metric metric, int stretches) {
        Curve curve = new Curve(metric.points(), stretches);
        read(job, metric.name(), 0, metric.points(), curve::add);
        return curve.points();
    }

    private void read(JobId job, String name, long from, long limit, Consumer<StoredPoint> points) {
        Boolean _ = readers.ask(connection -> {
            Optional<OpenSeries> series = find(connection, job, name);
            if (series.isPresent()) {
                read(connection, series.get(), new Stretch(from, limit, points));
            }
            return true;
        });
    }

    /** One statement at a time sees one state: what was loose may be in a block at the second, so that what is read is counted. */
    private static void read(Connection connection, OpenSeries series, Stretch stretch) throws SQLException {
        connection.setAutoCommit(false);
        try {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT first, points FROM block WHERE series = ? AND first >= coalesce((SELECT max(first) FROM block"
                            + " WHERE series = ? AND first <= ?), 0) ORDER BY first")) {
                select.setLong(1, series.id());
                select.setLong(2, series.id());
                select.setLong(3, stretch.from());
                try (ResultSet row = select.executeQuery()) {
                    while (!stretch.isDone() && row.next()) {
                        stretch.at(row.getLong(1));
                        PointBlock.decode(row.getBytes(2), stretch::take);
                    }
                }
            }
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT number, step, at, value FROM loose_point WHERE series = ? AND number >= ? ORDER BY number")) {
                select.setLong(1, series.id());
                select.setLong(2, stretch.from());
                try (ResultSet row = select.executeQuery()) {
                    while (!stretch.isDone() && row.next()) {
                        stretch.at(row.getLong(1));
                        stretch.take(new StoredPoint(row.getLong(2), row.getLong(3), MetricRows.value(row, "value")));
                    }
                }
            }
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static Optional<OpenSeries> find(Connection connection, JobId job, String name) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT * FROM series WHERE job = ? AND name = ?")) {
            select.setLong(1, job.value());
            select.setString(2, name);
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? Optional.of(new OpenSeries(row.getLong("id"), MetricRows.read(row), row.getInt("loose")))
                        : Optional.empty();
            }
        }
    }

    private static SequencedMap<String, String> texts(Connection connection, String table, JobId job)
            throws SQLException {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<String, String> text : rows(
                connection,
                "SELECT name, value FROM " + table + " WHERE job = ? ORDER BY name",
                job,
                row -> Map.entry(row.getString(1), row.getString(2)))) {
            texts.put(text.getKey(), text.getValue());
        }
        return texts;
    }

    private static StoredProgress progress(ResultSet row) throws SQLException {
        return new StoredProgress(
                row.getDouble("progress"),
                row.getDouble("progress_of"),
                row.getString("progress_unit"),
                row.getLong("progress_at"),
                row.getInt("progress_attempt"),
                row.getDouble("first_progress"),
                row.getLong("first_progress_at"));
    }

    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static <T> List<T> rows(Connection connection, String sql, JobId job, Reader<T> reader)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, job.value());
            List<T> rows = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows.add(reader.read(row));
                }
            }
            return rows;
        }
    }

    @Override
    public void close() {
        readers.close();
    }
}
