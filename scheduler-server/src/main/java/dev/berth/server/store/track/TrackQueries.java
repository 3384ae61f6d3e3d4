package dev.berth.server.store.track;

import dev.berth.core.job.JobId;
import dev.berth.server.store.track.Reading.Omission;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Questions about what programs told of their jobs, answered from what was committed. Safe for any thread. */
public final class TrackQueries implements AutoCloseable {
    private final TrackReaders readers;

    /**
     * Questions to the database in that file, which a {@link TrackStore} has open.
     */
    public TrackQueries(Path file) {
        this.readers = new TrackReaders(file);
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

    /**
     * All that a job told, but for the points of its metrics; names in order.
     *
     * @param isGiven whether what it was given is among it, which is so from its start on
     */
    public record Tracked(
            SequencedMap<String, String> parameters,
            SequencedMap<String, String> tags,
            List<Metric> metrics,
            List<StoredArtifact> artifacts,
            @Nullable StoredProgress progress,
            List<Omission> omissions,
            boolean isGiven) {
        public Tracked {
            metrics = List.copyOf(metrics);
            artifacts = List.copyOf(artifacts);
            omissions = List.copyOf(omissions);
        }
    }

    /** All that a job told; all empty where it told nothing. */
    public Tracked of(JobId job) {
        return readers.ask(connection -> {
            OfJob itself = rows(connection, "SELECT * FROM tracked WHERE job = ?", job, OfJob::read).stream()
                    .findFirst()
                    .orElse(OfJob.NOTHING);
            return new Tracked(
                    texts(connection, "parameter", job),
                    texts(connection, "tag", job),
                    rows(connection, "SELECT * FROM series WHERE job = ? ORDER BY name", job, MetricRows::read),
                    rows(
                            connection,
                            "SELECT path, key, at FROM artifact WHERE job = ? ORDER BY path",
                            job,
                            row -> new StoredArtifact(row.getString(1), row.getString(2), row.getLong(3))),
                    itself.progress(),
                    rows(
                            connection,
                            "SELECT kind, sentence, times FROM omission WHERE job = ? ORDER BY kind",
                            job,
                            row -> new Omission(row.getString(1), row.getString(2), row.getLong(3))),
                    itself.isGiven());
        });
    }

    /** What is kept once a job. */
    private record OfJob(@Nullable StoredProgress progress, boolean isGiven) {
        static final OfJob NOTHING = new OfJob(null, false);

        static OfJob read(ResultSet row) throws SQLException {
            boolean isProgress = row.getObject("progress") != null;
            return new OfJob(isProgress ? TrackQueries.progress(row) : null, row.getBoolean("given"));
        }
    }

    /** Questions about many jobs at once. */
    public TrackLists lists() {
        return new TrackLists(readers);
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

    /**
     * The notes of a project.
     *
     * @param millis since 1970, when they were written
     */
    public record StoredNotes(String project, String notes, long millis) {}

    /** The notes of a user's projects behind a name, each cut to so many characters, in the order of names. */
    public List<StoredNotes> notes(long uid, String after, int characters) {
        return readers.ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT project, substr(notes, 1, ?), changed_at FROM project_notes WHERE uid = ? AND project > ?"
                            + " ORDER BY project")) {
                select.setInt(1, characters);
                select.setLong(2, uid);
                select.setString(3, after);
                return notes(select);
            }
        });
    }

    /** The notes of a project; empty where there are none. */
    public Optional<StoredNotes> notes(long uid, String project) {
        return readers.ask(connection -> {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT project, notes, changed_at FROM project_notes WHERE uid = ? AND project = ?")) {
                select.setLong(1, uid);
                select.setString(2, project);
                return notes(select).stream().findFirst();
            }
        });
    }

    private static List<StoredNotes> notes(PreparedStatement select) throws SQLException {
        List<StoredNotes> notes = new ArrayList<>();
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                notes.add(new StoredNotes(row.getString(1), row.getString(2), row.getLong(3)));
            }
        }
        return notes;
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
