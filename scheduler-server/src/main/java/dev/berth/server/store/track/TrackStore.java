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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of what programs tell. What a look found and how far it read are one transaction, so that each entry is
 * there once, whenever the server ends. Safe for any thread, one at a time.
 */
public final class TrackStore implements AutoCloseable {
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
            try (PreparedStatement select = Statements.prepared(
                    connection(),
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
            try (PreparedStatement select = Statements.prepared(
                    connection(),
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
                        PointRows.store(connection(), series, false);
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
                        PointRows.store(connection(), series, true);
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
            Statements.update(connection(), "PRAGMA synchronous = FULL");
            int hit = Statements.update(connection(), sql, values);
            Statements.update(connection(), "PRAGMA synchronous = NORMAL");
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
            Statements.update(
                    connection(),
                    "INSERT INTO project_notes (uid, project, notes, changed_at) SELECT uid, ?, notes, changed_at FROM"
                            + " project_notes WHERE uid = ? AND project = ? ON CONFLICT DO UPDATE SET notes ="
                            + " notes || char(10) || char(10) || excluded.notes, changed_at ="
                            + " max(changed_at, excluded.changed_at)",
                    to,
                    uid,
                    from);
            Statements.update(connection(), "DELETE FROM project_notes WHERE uid = ? AND project = ?", uid, from);
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
            if (Statements.update(connection(), "UPDATE tracked SET given = 1 WHERE job = ? AND given = 0", job.value())
                    > 0) {
                for (Map.Entry<String, String> parameter : parameters.entrySet()) {
                    if (tracked.parameters.add(parameter.getKey())) {
                        ToldRows.put(
                                connection(),
                                tracked.job,
                                new Entry.Parameter(parameter.getKey(), parameter.getValue()));
                    }
                }
                for (String tag : tags) {
                    if (tracked.tags.add(tag)) {
                        ToldRows.put(connection(), tracked.job, new Entry.Tag(tag, ""));
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
                    Statements.update(connection(), "DELETE FROM tag WHERE job = ? AND name = ?", job.value(), name);
                }
                for (Map.Entry<String, String> tag : set.entrySet()) {
                    tracked.tags.add(tag.getKey());
                    ToldRows.put(connection(), tracked.job, new Entry.Tag(tag.getKey(), tag.getValue()));
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
                        ToldRows.put(connection(), job.job, parameter);
                    } else {
                        full(reading, "parameters", TrackedJob.MAX_PARAMETERS, parameter.name());
                    }
                }
                case Entry.Tag tag -> {
                    if (TrackedJob.hasRoom(job.tags, tag.name(), TrackedJob.MAX_TAGS)) {
                        ToldRows.put(connection(), job.job, tag);
                    } else {
                        full(reading, "tags", TrackedJob.MAX_TAGS, tag.name());
                    }
                }
                case Entry.Artifact artifact -> {
                    if (TrackedJob.hasRoom(job.artifacts, artifact.path(), TrackedJob.MAX_ARTIFACTS)) {
                        ToldRows.put(connection(), job.job, artifact, millis);
                    } else {
                        full(reading, "artifacts", TrackedJob.MAX_ARTIFACTS, artifact.path());
                    }
                }
                case Entry.Progress progress ->
                    ToldRows.put(
                            connection(), job.job, progress, reading.attempt().number(), millis);
            }
        }
        for (Omission omission : reading.omissions().values()) {
            ToldRows.put(connection(), job.job, omission);
        }
        ToldRows.put(connection(), reading);
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
            series = PointRows.insert(connection(), job.job, point.metric(), fresh);
            job.series.put(point.metric(), series);
        } else {
            series.add(fresh);
        }
        job.points++;
        stored.increment();
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
