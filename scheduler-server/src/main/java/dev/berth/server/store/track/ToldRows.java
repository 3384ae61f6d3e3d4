package dev.berth.server.store.track;

import dev.berth.server.store.track.Reading.Omission;
import dev.berth.server.store.track.Reading.Position;
import java.sql.Connection;
import java.sql.SQLException;

/** The rows of what a job told beside metrics, and of how far its sources were read. */
final class ToldRows {
    private ToldRows() {}

    static void put(Connection connection, long job, Entry.Parameter parameter) throws SQLException {
        int _ = Statements.update(
                connection,
                "INSERT INTO parameter (job, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                job,
                parameter.name(),
                parameter.value());
    }

    static void put(Connection connection, long job, Entry.Tag tag) throws SQLException {
        int _ = Statements.update(
                connection,
                "INSERT INTO tag (job, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                job,
                tag.name(),
                tag.value());
    }

    static void put(Connection connection, long job, Entry.Artifact artifact, long now) throws SQLException {
        int _ = Statements.update(
                connection,
                "INSERT INTO artifact (job, path, key, at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                        + " key = excluded.key, at = excluded.at",
                job,
                artifact.path(),
                artifact.key(),
                artifact.time() == null ? now : artifact.time().toEpochMilli());
    }

    /** The first of a count is kept until the count goes back, or another attempt counts. */
    static void put(Connection connection, long job, Entry.Progress progress, int attempt, long now)
            throws SQLException {
        long at = progress.time() == null ? now : progress.time().toEpochMilli();
        int _ = Statements.update(
                connection,
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
                job);
    }

    static void put(Connection connection, long job, Omission omission) throws SQLException {
        int _ = Statements.update(
                connection,
                "INSERT INTO omission (job, kind, sentence, times) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                        + " times = times + excluded.times",
                job,
                omission.kind(),
                omission.sentence(),
                omission.times());
    }

    static void put(Connection connection, Reading reading) throws SQLException {
        Position position = reading.position();
        int _ = Statements.update(
                connection,
                "INSERT INTO source (job, attempt, name, position, skipping, done) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT"
                        + " DO UPDATE SET position = excluded.position, skipping = excluded.skipping, done = excluded.done",
                reading.attempt().job().value(),
                reading.attempt().number(),
                reading.source(),
                position.bytes(),
                position.isSkipping(),
                position.isDone());
    }
}
