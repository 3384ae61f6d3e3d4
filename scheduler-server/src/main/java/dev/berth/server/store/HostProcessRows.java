package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of {@code host_process}. They go by themselves, with the holding of the job. */
final class HostProcessRows {
    private HostProcessRows() {}

    /** Keeps one whose job holds GPUs at that attempt; another is of no use to anybody. */
    static void insert(Connection connection, HostProcess process) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT OR REPLACE INTO host_process (job, attempt, pid, start_ticks, cli_pid, cli_start_ticks, started_at)
                SELECT id, attempt, ?, ?, ?, ?, ? FROM job
                WHERE id = ? AND attempt = ? AND state IN ('STARTING', 'RUNNING', 'STOPPING')""")) {
            insert.setLong(1, process.pid());
            insert.setLong(2, process.startTicks());
            insert.setObject(3, process.commandPid());
            insert.setObject(4, process.commandStartTicks());
            insert.setLong(5, JobRows.micros(process.startedAt()));
            insert.setLong(6, process.job().value());
            insert.setInt(7, process.attempt());
            insert.executeUpdate();
        }
    }

    static List<HostProcess> all(Connection connection) throws SQLException {
        List<HostProcess> processes = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM host_process ORDER BY job");
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                processes.add(new HostProcess(
                        new JobId(row.getLong("job")),
                        row.getInt("attempt"),
                        row.getLong("pid"),
                        row.getLong("start_ticks"),
                        number(row, "cli_pid"),
                        number(row, "cli_start_ticks"),
                        JobRows.instant(row.getLong("started_at"))));
            }
        }
        return processes;
    }

    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }
}
