package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rows of {@code notice}, and the events that they are made of. */
final class NoticeRows {
    /** The fact how far the events were read. */
    static final String NOTIFIED = "notified";

    private NoticeRows() {}

    /** A receiver with those that it gets in order. */
    record Lane(long uid, String receiver) {}

    static void insert(Connection connection, Notice notice) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO notice (key, uid, job, attempt, moment, receiver, content, made_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""")) {
            JobWrites.run(
                    1,
                    insert,
                    notice.key(),
                    notice.uid(),
                    notice.job().value(),
                    notice.attempt(),
                    notice.moment(),
                    notice.receiver(),
                    notice.content(),
                    JobRows.micros(notice.madeAt()));
        }
    }

    /** Counts a sending; of what was removed meanwhile none. */
    static void begin(Connection connection, List<Notice> notices) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE notice SET sendings = sendings + 1 WHERE id = ?")) {
            for (Notice notice : notices) {
                update.setLong(1, notice.id());
                update.executeUpdate();
            }
        }
    }

    static void end(Connection connection, NoticeEnd end) throws SQLException {
        String sql = switch (end.kind()) {
            case ARRIVED, GIVEN_UP -> "DELETE FROM notice WHERE id = ?";
            case NOT_BEGUN -> "UPDATE notice SET sendings = sendings - 1 WHERE id = ?";
            case FAILED -> "UPDATE notice SET failures = failures + 1 WHERE id = ?";
        };
        try (PreparedStatement write = connection.prepareStatement(sql)) {
            write.setLong(1, end.notice().id());
            write.executeUpdate();
        }
    }

    /** Removes the first of those that wait for a receiver; how many there were. */
    static int delete(Connection connection, long uid, String receiver, int max) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM notice WHERE id IN"
                + " (SELECT id FROM notice WHERE uid = ? AND receiver = ? ORDER BY id LIMIT ?)")) {
            delete.setLong(1, uid);
            delete.setString(2, receiver);
            delete.setInt(3, max);
            return delete.executeUpdate();
        }
    }

    /** The first that wait for a receiver. */
    static List<Notice> waiting(Connection connection, long uid, String receiver, int limit) throws SQLException {
        List<Notice> notices = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT * FROM notice WHERE uid = ? AND receiver = ? ORDER BY id LIMIT ?")) {
            select.setLong(1, uid);
            select.setString(2, receiver);
            select.setInt(3, limit);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    notices.add(new Notice(
                            row.getLong("id"),
                            row.getString("key"),
                            uid,
                            new JobId(row.getLong("job")),
                            row.getInt("attempt"),
                            row.getString("moment"),
                            receiver,
                            row.getString("content"),
                            JobRows.instant(row.getLong("made_at")),
                            row.getInt("sendings"),
                            row.getInt("failures")));
                }
            }
        }
        return notices;
    }

    static List<Lane> lanes(Connection connection) throws SQLException {
        List<Lane> lanes = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT DISTINCT uid, receiver FROM notice");
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                lanes.add(new Lane(row.getLong(1), row.getString(2)));
            }
        }
        return lanes;
    }

    static long count(Connection connection, long uid, String receiver) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT count(*) FROM notice WHERE uid = ? AND receiver = ?")) {
            select.setLong(1, uid);
            select.setString(2, receiver);
            try (ResultSet row = select.executeQuery()) {
                return row.getLong(1);
            }
        }
    }

    /** The number of those that wait, by the user whose wish they are. */
    static Map<Long, Long> counts(Connection connection) throws SQLException {
        Map<Long, Long> counts = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT uid, count(*) FROM notice GROUP BY uid");
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                counts.put(row.getLong(1), row.getLong(2));
            }
        }
        return counts;
    }

    static List<ToldEvent> events(Connection connection, long after, int limit) throws SQLException {
        List<ToldEvent> events = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.TOLD_EVENTS)) {
            select.setLong(1, after);
            select.setInt(2, limit);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    long array = row.getLong("array");
                    events.add(new ToldEvent(
                            row.getLong("sequence"),
                            new JobId(row.getLong("job")),
                            array == 0 ? null : new JobId(array),
                            row.getInt("attempt"),
                            StateName.valueOf(row.getString("to_state")),
                            JobRows.instant(row.getLong("at")),
                            row.getLong("uid"),
                            row.getBoolean("wishes"),
                            row.getBoolean("unseen")));
                }
            }
        }
        return events;
    }

    static boolean hasStarted(Connection connection, JobId array, long before) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(Selects.ANY_TASK_STARTED)) {
            select.setLong(1, array.value());
            select.setLong(2, before);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }
}
