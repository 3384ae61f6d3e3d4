package dev.berth.server.simulation;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What is committed, read beside the server. Each question is prepared once, on a connection that goes with the server: a
 * world asks thousands of them.
 */
final class Books implements AutoCloseable {
    private final String url;
    private final Map<String, PreparedStatement> questions = new HashMap<>();
    private @Nullable Connection connection;

    Books(Path database) {
        this.url = "jdbc:sqlite:" + database;
    }

    /** How often a job has had its turn. */
    long turns(JobId job) {
        return number("SELECT count(*) FROM job_event WHERE job = ? AND event = 'Allocated'", job.value());
    }

    /** The number of the event by which a job had its last turn; 0 where it had none. */
    long lastTurn(JobId job) {
        return number(
                "SELECT coalesce(max(sequence), 0) FROM job_event WHERE event = 'Allocated' AND job = ?", job.value());
    }

    /** The number of the first turn of a job after an event; 0 where it had none. */
    long turnAfter(JobId job, long event) {
        return first("event = 'Allocated' AND job = ?", event, job.value());
    }

    /** The number of the event by which a job began to wait for an attempt. */
    long beginOf(JobId job, int attempt) {
        return first("job = ? AND attempt = ?", 0, job.value(), attempt);
    }

    /** The date of an event, in microseconds since 1970. */
    long at(long event) {
        return number("SELECT at FROM job_event WHERE sequence = ?", event);
    }

    /** The latest date of a job's events after one and up to another. */
    long latestBetween(JobId job, long event, long last) {
        return number(
                "SELECT max(at) FROM job_event WHERE job = ? AND sequence > ? AND sequence <= ?",
                job.value(),
                event,
                last);
    }

    /** The number of the event after another by which a job was told that its date has come, or released after it. */
    long begun(JobId job, long event, long date) {
        return first(
                "job = ? AND (event = 'BeginReached' OR (event = 'ReleaseRequested' AND at >= ?))",
                event,
                job.value(),
                date);
    }

    /** When the image of a job was here for the last time before an event. */
    long arrivalBefore(JobId job, long event) {
        return number(
                "SELECT coalesce(max(sequence), 0) FROM job_event WHERE event = 'ImageArrived' AND job = ?"
                        + " AND sequence < ?",
                job.value(),
                event);
    }

    /** Whether somebody has ever held a job, or the array that it is a task of. */
    boolean wasHeld(JobId job) {
        return number(
                        "SELECT count(*) FROM job_event WHERE event = 'HoldRequested'"
                                + " AND job IN (?, (SELECT abs(array) FROM job WHERE id = ?))",
                        job.value(),
                        job.value())
                > 0;
    }

    /** Whether a task runs in a pack that is to end it. */
    boolean isToEndInPack(JobId task) {
        return number("SELECT count(*) FROM job WHERE id = ? AND state = 'PACKED_STOPPING'", task.value()) > 0;
    }

    /** How many turns there were between two events. */
    long turnsBetween(long event, long later) {
        return number(
                "SELECT count(*) FROM job_event WHERE event = 'Allocated' AND sequence > ? AND sequence < ?",
                event,
                later);
    }

    /** The number of the event by which somebody has cancelled a job; 0 where none is. */
    long lastCancel(JobId job) {
        return number(
                "SELECT coalesce(max(sequence), 0) FROM job_event WHERE event = 'CancelRequested' AND job = ?",
                job.value());
    }

    /** By which event each task has ended that was no job of its own: that which has ended its array for those. */
    Map<Long, Long> endsWithoutTurns() {
        Map<Long, Long> arrays = pairs("""
            SELECT job, min(sequence) FROM job_event WHERE to_state NOT IN ('QUEUED', 'HELD')
                AND job IN (SELECT id FROM job WHERE tasks_waiting <> '') GROUP BY job\
            """);
        Map<Long, Long> ends = new HashMap<>();
        arrays.forEach((array, event) -> {
            long last = number(
                    "SELECT coalesce((SELECT min(id) FROM job WHERE id > ? AND array IS NULL),"
                            + " (SELECT seq + 1 FROM sqlite_sequence WHERE name = 'job'))",
                    array);
            for (long task = array + 1; task < last; task++) {
                ends.put(task, event);
            }
        });
        return ends;
    }

    /** The events by which somebody has held a job. */
    Set<Long> holds(JobId job) {
        return pairs(
                        "SELECT sequence, 0 FROM job_event WHERE event = 'HoldRequested' AND sentence IS NULL"
                                + " AND job = ?",
                        job.value())
                .keySet();
    }

    /** Whether the first turn of a task after an event came before a release of it, or of its array. */
    boolean hasTurnBeforeRelease(JobId array, JobId task, long event) {
        long turn = turnAfter(task, event);
        return turn > 0
                && first(
                                "event = 'ReleaseRequested' AND sequence < ? AND job IN (?, ?)",
                                event,
                                turn,
                                array.value(),
                                task.value())
                        == 0;
    }

    private long first(String which, long after, long... arguments) {
        long[] all = LongStream.concat(LongStream.of(after), LongStream.of(arguments))
                .toArray();
        return number("SELECT coalesce(min(sequence), 0) FROM job_event WHERE sequence > ? AND " + which, all);
    }

    /** The arrays that have not ended and of which no task is left that has not. */
    Set<Long> endlessArrays() {
        return pairs("""
            SELECT id, 0 FROM job WHERE state = 'DISPATCHED' AND NOT EXISTS
                (SELECT 1 FROM job AS task WHERE task.array = job.id AND task.ended_at IS NULL)\
            """).keySet();
    }

    /** Whether an event is one by which somebody has cancelled a job. */
    boolean isCancel(@Nullable Long event) {
        return event != null
                && number("SELECT count(*) FROM job_event WHERE event = 'CancelRequested' AND sequence = ?", event) > 0;
    }

    /** The number of the event by which a job was said to have ended with the machine; 0 where none says so. */
    long lastReboot(JobId job) {
        return number(
                "SELECT coalesce(max(sequence), 0) FROM job_event WHERE event = 'MachineRebooted' AND job = ?",
                job.value());
    }

    /** Whether it is written down that an attempt was sent its signal. */
    boolean isSignalled(Attempt attempt) {
        return number(
                        "SELECT count(*) FROM job_event WHERE event = 'SignalSent' AND job = ? AND attempt = ?",
                        attempt.job().value(),
                        attempt.number())
                > 0;
    }

    /** The attempt that a job is at, and whether it waits for its turn. */
    record AtAttempt(int number, boolean isWaiting) {}

    /** The attempt that a job is at; empty where it is not there. */
    Optional<AtAttempt> attempt(JobId job) {
        return rows("SELECT attempt, state IN ('QUEUED', 'DEFERRED') FROM job WHERE id = ?", job.value()).stream()
                .map(row -> new AtAttempt(Math.toIntExact(row.getFirst()), row.getLast() == 1))
                .findFirst();
    }

    /** The number of the last event. */
    long lastEvent() {
        return number("SELECT coalesce(max(sequence), 0) FROM job_event");
    }

    /** The number of the first event of this date or later, in microseconds since 1970. */
    long firstEventSince(long micros) {
        return number("SELECT coalesce(min(sequence), 0) FROM job_event WHERE at >= ?", micros);
    }

    private long number(String select, long... arguments) {
        long[] number = {0};
        each(select, row -> number[0] = row.getLong(1), arguments);
        return number[0];
    }

    /** Rows of two numbers. */
    List<List<Long>> rows(String select, long... arguments) {
        List<List<Long>> rows = new ArrayList<>();
        each(select, row -> rows.add(List.of(row.getLong(1), row.getLong(2))), arguments);
        return rows;
    }

    /** Rows of two numbers, the first one of which is never there twice. */
    Map<Long, Long> pairs(String select, long... arguments) {
        Map<Long, Long> pairs = new HashMap<>();
        each(select, row -> pairs.put(row.getLong(1), row.getLong(2)), arguments);
        return pairs;
    }

    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private void each(String select, RowReader reader, long... arguments) {
        try {
            PreparedStatement question = prepared(select);
            for (int i = 0; i < arguments.length; i++) {
                question.setLong(i + 1, arguments[i]);
            }
            try (ResultSet row = question.executeQuery()) {
                while (row.next()) {
                    reader.read(row);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private PreparedStatement prepared(String select) throws SQLException {
        PreparedStatement known = questions.get(select);
        if (known != null) {
            return known;
        }
        Connection opened = connection == null ? DriverManager.getConnection(url) : connection;
        connection = opened;
        PreparedStatement prepared = opened.prepareStatement(select);
        questions.put(select, prepared);
        return prepared;
    }

    /** Lets the file go, which may be replaced now; what is asked next opens it anew. */
    @Override
    public void close() {
        questions.clear();
        Connection opened = connection;
        connection = null;
        try {
            if (opened != null) {
                opened.close();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
