package dev.berth.server.store.track;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.store.track.Reading.Omission;
import dev.berth.server.store.track.Reading.Position;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of what programs tell. What a look found and how far it read are one transaction, so that each entry is
 * there once, whenever the server ends. Safe for any thread, one at a time.
 */
public final class TrackStore implements AutoCloseable {
    /** So many points are worth a block; fewer are rows of their own until others come. */
    private static final int BLOCK_POINTS = 256;

    private static final Logger LOG = LoggerFactory.getLogger(TrackStore.class);

    private static final List<String> TABLES =
            List.of("tracked", "source", "parameter", "tag", "artifact", "omission", "series");

    private final Path file;

    /** Null where a transaction broke off: what became of it is not known to the driver, and a new one begins at the next call. */
    private @Nullable Connection connection;

    private boolean closed;
    private final LongAdder stored = new LongAdder();

    /** The jobs that are being written, as the database has them. */
    private final Map<Long, TrackedJob> open = new HashMap<>();

    /** A store in that file, which is made where it is missing. */
    public TrackStore(Path file) {
        this.file = file;
        this.connection = TrackDatabase.openWriter(file);
    }

    /** The number of points that were taken in since this was made; what breaks off with its transaction counts again. */
    public long pointsStored() {
        return stored.sum();
    }

    private Connection connection() {
        Connection known = connection;
        if (closed) {
            throw new TrackingException("the tracking database is closed");
        }
        if (known == null) {
            known = TrackDatabase.openWriter(file);
            connection = known;
        }
        return known;
    }

    /** How far a source was read; the beginning for one that was not. */
    public synchronized Position position(Attempt attempt, String source) {
        return run("be read", () -> {
            try (PreparedStatement select = prepared(
                    "SELECT position, skipping, done FROM source WHERE job = ? AND attempt = ? AND name = ?",
                    attempt.job().value(),
                    attempt.number(),
                    source)) {
                try (ResultSet row = select.executeQuery()) {
                    return row.next()
                            ? new Position(row.getLong(1), row.getBoolean(2), row.getBoolean(3))
                            : Position.START;
                }
            }
        });
    }

    /** How far each source of an attempt was read, by name; those that were not are not in it. */
    public synchronized Map<String, Position> positions(Attempt attempt) {
        return run("be read", () -> {
            Map<String, Position> positions = new HashMap<>();
            try (PreparedStatement select = prepared(
                    "SELECT name, position, skipping, done FROM source WHERE job = ? AND attempt = ?",
                    attempt.job().value(),
                    attempt.number())) {
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        positions.put(
                                row.getString(1), new Position(row.getLong(2), row.getBoolean(3), row.getBoolean(4)));
                    }
                }
            }
            return positions;
        });
    }

    /**
     * Keeps what looks found.
     *
     * @param millis the time of what has none, since 1970
     */
    public synchronized void keep(List<Reading> readings, long millis) {
        Boolean _ = run("keep what jobs told", () -> {
            for (Reading reading : readings) {
                keep(reading, millis);
            }
            for (TrackedJob job : open.values()) {
                for (OpenSeries series : job.series.values()) {
                    if (series.isChanged()) {
                        store(series, false);
                    }
                }
            }
            connection().commit();
            return true;
        });
    }

    /** Keeps the last of a source that is read to its end, on the disk before this returns. */
    public synchronized void finish(Reading reading, long millis) {
        Boolean _ = run("keep what a job told", () -> {
            keep(reading, millis);
            TrackedJob job = open.remove(reading.attempt().job().value());
            if (job != null) {
                for (OpenSeries series : job.series.values()) {
                    if (series.isChanged() || series.loose() > 0) {
                        store(series, true);
                    }
                }
            }
            connection().commit();
            forceDone(reading);
            return true;
        });
    }

    /** Its commit forces all that was committed before with it. */
    private void forceDone(Reading reading) throws SQLException {
        int _ = force(
                "UPDATE source SET done = 1 WHERE job = ? AND attempt = ? AND name = ?",
                reading.attempt().job().value(),
                reading.attempt().number(),
                reading.source());
    }

    /** Writes that alone, on the disk before this returns; how many rows it hit. */
    private int force(String sql, @Nullable Object... values) throws SQLException {
        // Within a transaction SQLite does not change how commits are forced (sqlite.org, PRAGMA synchronous).
        connection().setAutoCommit(true);
        try {
            update("PRAGMA synchronous = FULL");
            int hit = update(sql, values);
            update("PRAGMA synchronous = NORMAL");
            return hit;
        } finally {
            connection().setAutoCommit(false);
        }
    }

    /**
     * Keeps the notes of a project, on the disk before this returns; empty ones are removed.
     *
     * @param most the projects with notes that a user may have
     * @return false where the user has as many already
     */
    public synchronized boolean note(long uid, String project, String notes, long millis, int most) {
        return run("keep the notes of a project", () -> {
            if (notes.isEmpty()) {
                int _ = force("DELETE FROM project_notes WHERE uid = ? AND project = ?", uid, project);
                return true;
            }
            return force(
                            "INSERT INTO project_notes (uid, project, notes, changed_at) SELECT ?, ?, ?, ? WHERE"
                                    + " (SELECT count(*) FROM project_notes WHERE uid = ? AND project <> ?) < ?"
                                    + " ON CONFLICT DO UPDATE SET notes = excluded.notes, changed_at = excluded.changed_at",
                            uid,
                            project,
                            notes,
                            millis,
                            uid,
                            project,
                            most)
                    == 1;
        });
    }

    /** Moves the notes of a project to another one, behind those that it has, on the disk before this returns. */
    public synchronized void moveNotes(long uid, String from, String to) {
        Boolean _ = run("move the notes of a project", () -> {
            update(
                    "INSERT INTO project_notes (uid, project, notes, changed_at) SELECT uid, ?, notes, changed_at FROM"
                            + " project_notes WHERE uid = ? AND project = ? ON CONFLICT DO UPDATE SET notes ="
                            + " notes || char(10) || char(10) || excluded.notes, changed_at ="
                            + " max(changed_at, excluded.changed_at)",
                    to,
                    uid,
                    from);
            update("DELETE FROM project_notes WHERE uid = ? AND project = ?", uid, from);
            connection().commit();
            // Its commit forces the one before with it.
            int _ = force("UPDATE project_notes SET changed_at = changed_at WHERE uid = ? AND project = ?", uid, to);
            return true;
        });
    }

    /**
     * Keeps what a job was given, such as the values of its sweep and its tags, once: what it tells itself, and what was changed
     * of it since, counts more.
     */
    public synchronized void given(JobId job, Map<String, String> parameters, List<String> tags) {
        Boolean _ = run("keep what a job was given", () -> {
            boolean isKnown = open.containsKey(job.value());
            TrackedJob tracked = open(job.value());
            if (update("UPDATE tracked SET given = 1 WHERE job = ? AND given = 0", job.value()) > 0) {
                for (Map.Entry<String, String> parameter : parameters.entrySet()) {
                    if (tracked.parameters.add(parameter.getKey())) {
                        put(tracked, new Entry.Parameter(parameter.getKey(), parameter.getValue()));
                    }
                }
                for (String tag : tags) {
                    if (tracked.tags.add(tag)) {
                        put(tracked, new Entry.Tag(tag, ""));
                    }
                }
            }
            connection().commit();
            if (!isKnown) {
                // It may tell nothing itself.
                open.remove(job.value());
            }
            return true;
        });
    }

    /**
     * Changes the tags of a job.
     *
     * @return whether there was room for all; else nothing is changed
     */
    public synchronized boolean tag(JobId job, Map<String, String> set, List<String> removed) {
        return run("keep the tags of a job", () -> {
            boolean isKnown = open.containsKey(job.value());
            TrackedJob tracked = open(job.value());
            Set<String> tags = new HashSet<>(tracked.tags);
            removed.forEach(tags::remove);
            tags.addAll(set.keySet());
            boolean hasRoom = tags.size() <= TrackedJob.MAX_TAGS;
            if (hasRoom) {
                for (String name : removed) {
                    tracked.tags.remove(name);
                    update("DELETE FROM tag WHERE job = ? AND name = ?", job.value(), name);
                }
                for (Map.Entry<String, String> tag : set.entrySet()) {
                    tracked.tags.add(tag.getKey());
                    put(tracked, new Entry.Tag(tag.getKey(), tag.getValue()));
                }
            }
            connection().commit();
            if (!isKnown) {
                // It may be over.
                open.remove(job.value());
            }
            return hasRoom;
        });
    }

    /** Nothing more will be kept of a job's attempt. */
    public synchronized void release(JobId job) {
        open.remove(job.value());
    }

    /** Forgets all of some jobs. */
    public synchronized void delete(List<JobId> jobs) {
        Boolean _ = run("delete what jobs told", () -> {
            for (JobId job : jobs) {
                delete("job = " + job.value());
                open.remove(job.value());
            }
            connection().commit();
            return true;
        });
    }

    /** Forgets the jobs of higher numbers, which the queue does not know: it was brought back from a backup. */
    public synchronized void deleteAbove(long highest) {
        Boolean _ = run("delete what unknown jobs told", () -> {
            delete("job > " + highest);
            connection().commit();
            return true;
        });
    }

    private void delete(String which) throws SQLException {
        try (Statement statement = connection().createStatement()) {
            for (String points : List.of("block", "loose_point")) {
                statement.executeUpdate(
                        "DELETE FROM " + points + " WHERE series IN (SELECT id FROM series WHERE " + which + ")");
            }
            for (String table : TABLES) {
                statement.executeUpdate("DELETE FROM " + table + " WHERE " + which);
            }
        }
    }

    private void keep(Reading reading, long millis) throws SQLException {
        TrackedJob job = open(reading.attempt().job().value());
        for (Entry entry : reading.entries()) {
            switch (entry) {
                case Entry.Point point -> add(job, reading, point, millis);
                case Entry.Parameter parameter -> {
                    if (TrackedJob.hasRoom(job.parameters, parameter.name(), TrackedJob.MAX_PARAMETERS)) {
                        put(job, parameter);
                    } else {
                        full(reading, "parameters", TrackedJob.MAX_PARAMETERS, parameter.name());
                    }
                }
                case Entry.Tag tag -> {
                    if (TrackedJob.hasRoom(job.tags, tag.name(), TrackedJob.MAX_TAGS)) {
                        put(job, tag);
                    } else {
                        full(reading, "tags", TrackedJob.MAX_TAGS, tag.name());
                    }
                }
                case Entry.Artifact artifact -> {
                    if (TrackedJob.hasRoom(job.artifacts, artifact.path(), TrackedJob.MAX_ARTIFACTS)) {
                        put(job, artifact, millis);
                    } else {
                        full(reading, "artifacts", TrackedJob.MAX_ARTIFACTS, artifact.path());
                    }
                }
                case Entry.Progress progress ->
                    put(job, progress, reading.attempt().number(), millis);
            }
        }
        for (Omission omission : reading.omissions().values()) {
            put(job, omission);
        }
        put(reading);
    }

    private static void full(Reading reading, String what, long most, String name) {
        reading.omit(
                "too-many-" + what,
                "it has told more than " + most + " " + what + "; the first left out is '" + name + "'");
    }

    private TrackedJob open(long job) throws SQLException {
        TrackedJob known = open.get(job);
        if (known == null) {
            known = TrackedJob.read(connection(), job);
            open.put(job, known);
        }
        return known;
    }

    private void add(TrackedJob job, Reading reading, Entry.Point point, long now) throws SQLException {
        if (job.points >= TrackedJob.MAX_POINTS) {
            full(reading, "points", TrackedJob.MAX_POINTS, point.metric());
            return;
        }
        OpenSeries series = job.series.get(point.metric());
        if (series == null && job.series.size() >= TrackedJob.MAX_METRICS) {
            full(reading, "metrics", TrackedJob.MAX_METRICS, point.metric());
            return;
        }
        long step = point.step() != null ? point.step() : series == null ? 0 : series.nextStep();
        long at = point.time() == null ? now : point.time().toEpochMilli();
        StoredPoint fresh = new StoredPoint(step, at, point.value());
        if (series == null) {
            series = insert(job, point.metric(), fresh);
            job.series.put(point.metric(), series);
        } else {
            series.add(fresh);
        }
        job.points++;
        stored.increment();
    }

    private OpenSeries insert(TrackedJob job, String name, StoredPoint first) throws SQLException {
        Metric metric = Metric.of(name, first);
        try (PreparedStatement insert = connection().prepareStatement("""
                INSERT INTO series (job, name, points, loose, last_step, last_at, last_value, min_step, min_at, min_value,
                    max_step, max_at, max_value)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id""")) {
            insert.setLong(1, job.job);
            insert.setString(2, name);
            MetricRows.set(insert, 3, metric, 0);
            try (ResultSet row = insert.executeQuery()) {
                return OpenSeries.begun(row.getLong(1), metric, first);
            }
        }
    }

    /** Stores the fresh points of a metric, as a block where they and those before are enough for one, or all are. */
    private void store(OpenSeries series, boolean isLast) throws SQLException {
        int pending = series.loose() + series.fresh().size();
        boolean isBlock = pending >= BLOCK_POINTS || isLast;
        long firstLoose = series.metric().points() - pending;
        if (isBlock) {
            List<StoredPoint> points = loose(series);
            points.addAll(series.fresh());
            block(series.id(), firstLoose, points);
        } else {
            insertLoose(series, series.metric().points() - series.fresh().size());
        }
        int looseNow = isBlock ? 0 : pending;
        try (PreparedStatement update = connection().prepareStatement("""
                UPDATE series SET points = ?, loose = ?, last_step = ?, last_at = ?, last_value = ?,
                    min_step = ?, min_at = ?, min_value = ?, max_step = ?, max_at = ?, max_value = ?
                WHERE id = ?""")) {
            MetricRows.set(update, 1, series.metric(), looseNow);
            update.setLong(12, series.id());
            update.executeUpdate();
        }
        series.stored(looseNow);
    }

    private List<StoredPoint> loose(OpenSeries series) throws SQLException {
        List<StoredPoint> points = new ArrayList<>();
        if (series.loose() > 0) {
            try (PreparedStatement delete = prepared(
                    "DELETE FROM loose_point WHERE series = ? RETURNING number, step, at, value", series.id())) {
                // The order of what is returned is not promised.
                SortedMap<Long, StoredPoint> byNumber = new TreeMap<>();
                try (ResultSet row = delete.executeQuery()) {
                    while (row.next()) {
                        byNumber.put(
                                row.getLong(1),
                                new StoredPoint(row.getLong(2), row.getLong(3), MetricRows.value(row, "value")));
                    }
                }
                points.addAll(byNumber.values());
            }
        }
        return points;
    }

    private void block(long series, long first, List<StoredPoint> points) throws SQLException {
        try (PreparedStatement insert =
                connection().prepareStatement("INSERT INTO block (series, first, points) VALUES (?, ?, ?)")) {
            for (int from = 0; from < points.size(); from += PointBlock.MAX_POINTS) {
                int to = Math.min(points.size(), from + PointBlock.MAX_POINTS);
                insert.setLong(1, series);
                insert.setLong(2, first + from);
                insert.setBytes(3, PointBlock.encode(points.subList(from, to)));
                insert.executeUpdate();
            }
        }
    }

    private void insertLoose(OpenSeries series, long first) throws SQLException {
        try (PreparedStatement insert = connection()
                .prepareStatement("INSERT INTO loose_point (series, number, step, at, value) VALUES (?, ?, ?, ?, ?)")) {
            long number = first;
            for (StoredPoint point : series.fresh()) {
                insert.setLong(1, series.id());
                insert.setLong(2, number++);
                insert.setLong(3, point.step());
                insert.setLong(4, point.millis());
                MetricRows.setValue(insert, 5, point.value());
                insert.executeUpdate();
            }
        }
    }

    private void put(TrackedJob job, Entry.Parameter parameter) throws SQLException {
        job.parameters.add(parameter.name());
        update(
                "INSERT INTO parameter (job, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                job.job,
                parameter.name(),
                parameter.value());
    }

    private void put(TrackedJob job, Entry.Tag tag) throws SQLException {
        update(
                "INSERT INTO tag (job, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                job.job,
                tag.name(),
                tag.value());
    }

    private void put(TrackedJob job, Entry.Artifact artifact, long now) throws SQLException {
        update(
                "INSERT INTO artifact (job, path, key, at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                        + " key = excluded.key, at = excluded.at",
                job.job,
                artifact.path(),
                artifact.key(),
                artifact.time() == null ? now : artifact.time().toEpochMilli());
    }

    /** The first of a count is kept until the count goes back, or another attempt counts. */
    private void put(TrackedJob job, Entry.Progress progress, int attempt, long now) throws SQLException {
        long at = progress.time() == null ? now : progress.time().toEpochMilli();
        update(
                """
                UPDATE tracked SET
                    first_progress = CASE WHEN progress IS NULL OR progress > ? OR progress_of IS NOT ?
                        OR progress_attempt IS NOT ? THEN ? ELSE first_progress END,
                    first_progress_at = CASE WHEN progress IS NULL OR progress > ? OR progress_of IS NOT ?
                        OR progress_attempt IS NOT ? THEN ? ELSE first_progress_at END,
                    progress = ?, progress_of = ?, progress_unit = ?, progress_at = ?,
                    progress_attempt = ?
                WHERE job = ?""",
                progress.value(),
                progress.of(),
                attempt,
                progress.value(),
                progress.value(),
                progress.of(),
                attempt,
                at,
                progress.value(),
                progress.of(),
                progress.unit(),
                at,
                attempt,
                job.job);
    }

    private void put(TrackedJob job, Omission omission) throws SQLException {
        update(
                "INSERT INTO omission (job, kind, sentence, times) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                        + " times = times + excluded.times",
                job.job,
                omission.kind(),
                omission.sentence(),
                omission.times());
    }

    private void put(Reading reading) throws SQLException {
        Position position = reading.position();
        update(
                "INSERT INTO source (job, attempt, name, position, skipping, done) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT"
                        + " DO UPDATE SET position = excluded.position, skipping = excluded.skipping, done = excluded.done",
                reading.attempt().job().value(),
                reading.attempt().number(),
                reading.source(),
                position.bytes(),
                position.isSkipping(),
                position.isDone());
    }

    private int update(String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement update = prepared(sql, values)) {
            return update.executeUpdate();
        }
    }

    private PreparedStatement prepared(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = connection().prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    private interface Work<T> {
        T go() throws SQLException;
    }

    /** Does it whole or not at all. */
    private <T> T run(String what, Work<T> work) {
        boolean isDone = false;
        try {
            T answer = work.go();
            isDone = true;
            return answer;
        } catch (SQLException e) {
            throw new TrackingException("the tracking database cannot " + what + ": " + e.getMessage(), e);
        } finally {
            if (!isDone) {
                abandon();
            }
        }
    }

    /** Lets the file grow no more on this connection, as a full disk does; for tests. */
    synchronized void limitPages() throws SQLException {
        try (Statement statement = connection().createStatement()) {
            statement.execute("PRAGMA max_page_count = 1");
        }
    }

    /** SQLite takes a transaction back by itself where a disk is full, of which the driver knows nothing. */
    private void abandon() {
        open.clear();
        Connection broken = connection;
        connection = null;
        if (broken != null) {
            try {
                broken.close();
            } catch (SQLException e) {
                LOG.debug("the tracking database did not close: {}", e.getMessage());
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            throw new TrackingException("the tracking database did not close: " + e.getMessage(), e);
        }
    }
}
