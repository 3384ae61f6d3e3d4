package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.StateName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Rows of {@code attempt}. */
final class AttemptRows {
    private AttemptRows() {}

    /** Those of a job, the first one first. */
    static List<EndedAttempt> read(Connection connection, JobId job) throws SQLException {
        List<EndedAttempt> attempts = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.ATTEMPTS)) {
            select.setLong(1, job.value());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    attempts.add(read(row));
                }
            }
        }
        return attempts;
    }

    private static EndedAttempt read(ResultSet row) throws SQLException {
        Finished end = new Finished(
                row.getInt("attempt"),
                JobRows.instantOrNull(row, "started_at"),
                JobRows.instant(row.getLong("ended_at")),
                Duration.of(row.getLong("ran_micros"), ChronoUnit.MICROS),
                JobRows.outcome(JobRows.word(StateName.class, row, "state"), row));
        String gpus = row.getString("gpus");
        return new EndedAttempt(end, gpus == null ? List.of() : List.of(gpus.split(",")), row.getInt("retried") == 1);
    }
}
