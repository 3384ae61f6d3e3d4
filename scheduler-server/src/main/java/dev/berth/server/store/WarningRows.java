package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Rows of {@code job_warning}. */
final class WarningRows {
    private WarningRows() {}

    /** Writes one, or over the one of its code and subject; the time since when stays until it has ended. */
    static void write(Connection connection, JobWarning warning) throws SQLException {
        Instant endedAt = warning.endedAt();
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO job_warning (job, attempt, code, subject, sentence, since, ended_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET sentence = excluded.sentence, ended_at = excluded.ended_at,
                    since = CASE WHEN ended_at IS NULL OR excluded.ended_at IS NOT NULL
                        THEN since ELSE excluded.since END""")) {
            insert.setLong(1, warning.job().value());
            insert.setInt(2, warning.attempt());
            insert.setString(3, warning.code());
            insert.setString(4, warning.subject());
            insert.setString(5, warning.sentence());
            insert.setLong(6, JobRows.micros(warning.since()));
            insert.setObject(7, endedAt == null ? null : JobRows.micros(endedAt));
            insert.executeUpdate();
        }
    }

    /** Whether the same was said before, and is so still. */
    static boolean isKnown(Connection connection, JobWarning warning) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT 1 FROM job_warning
                WHERE job = ? AND attempt = ? AND code = ? AND subject = ? AND ended_at IS NULL""")) {
            select.setLong(1, warning.job().value());
            select.setInt(2, warning.attempt());
            select.setString(3, warning.code());
            select.setString(4, warning.subject());
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Ends those of a job that are about what only a look at its GPUs can tell; how many those were. */
    static int endSeen(Connection connection, JobId job, Instant at) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE job_warning SET ended_at = ?
                WHERE job = ? AND ended_at IS NULL AND code IN ('GPU_CONFLICT', 'GPU_IDLE')""")) {
            update.setLong(1, JobRows.micros(at));
            update.setLong(2, job.value());
            return update.executeUpdate();
        }
    }

    static void delete(Connection connection, JobId job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM job_warning WHERE job = ?")) {
            delete.setLong(1, job.value());
            delete.executeUpdate();
        }
    }

    /** The newest of one job's last attempt, the oldest of them first. */
    static List<JobWarning> read(Connection connection, JobId job, int attempt) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT * FROM (
                    SELECT attempt, code, subject, sentence, since, ended_at FROM job_warning
                    WHERE job = ? AND attempt = ? ORDER BY since DESC, code DESC, subject DESC LIMIT 100)
                ORDER BY since, code, subject""")) {
            select.setLong(1, job.value());
            select.setInt(2, attempt);
            List<JobWarning> warnings = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    warnings.add(new JobWarning(
                            job,
                            row.getInt(1),
                            row.getString(2),
                            row.getString(3),
                            row.getString(4),
                            JobRows.instant(row.getLong(5)),
                            JobRows.instantOrNull(row, "ended_at")));
                }
            }
            return warnings;
        }
    }
}
