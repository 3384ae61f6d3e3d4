package dev.berth.server.store;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Drain;
import dev.berth.core.machine.GpuConditions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rows kept of GPUs beside what jobs hold: drains, and what jobs have left. */
final class GpuRows {
    private final Connection connection;

    GpuRows(Connection connection) {
        this.connection = connection;
    }

    void drain(GpuId gpu, Drain drain) throws SQLException {
        execute(
                "INSERT OR REPLACE INTO gpu_drain (gpu, drained_by, reason, drained_at) VALUES (?, ?, ?, ?)",
                gpu.uuid(),
                drain.by(),
                drain.reason(),
                JobRows.micros(drain.since()));
    }

    void resume(GpuId gpu) throws SQLException {
        execute("DELETE FROM gpu_drain WHERE gpu = ?", gpu.uuid());
    }

    void beginCleaning(Attempt attempt, Allocation left) throws SQLException {
        for (int position = 0; position < left.shares().size(); position++) {
            GpuShare share = left.shares().get(position);
            execute(
                    "INSERT INTO gpu_cleaning (job, attempt, position, gpu, milli) VALUES (?, ?, ?, ?, ?)",
                    attempt.job().value(),
                    attempt.number(),
                    position,
                    share.gpu().uuid(),
                    share.milli());
        }
    }

    void endCleaning(Attempt attempt) throws SQLException {
        execute(
                "DELETE FROM gpu_cleaning WHERE job = ? AND attempt = ?",
                attempt.job().value(),
                attempt.number());
    }

    /** As last written; what lasts no longer than a server is not in it. */
    GpuConditions read() throws SQLException {
        GpuConditions good = GpuConditions.GOOD;
        return new GpuConditions(drains(), good.obstacles(), null, cleaning(), good.failedStarts());
    }

    private SortedMap<GpuId, Drain> drains() throws SQLException {
        SortedMap<GpuId, Drain> drains = new TreeMap<>();
        try (PreparedStatement select =
                        connection.prepareStatement("SELECT gpu, drained_by, reason, drained_at FROM gpu_drain");
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                Instant since = JobRows.instant(row.getLong(4));
                drains.put(new GpuId(row.getString(1)), new Drain(row.getString(2), row.getString(3), since));
            }
        }
        return drains;
    }

    private SortedMap<Attempt, Allocation> cleaning() throws SQLException {
        SortedMap<Attempt, List<GpuShare>> shares = new TreeMap<>();
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT job, attempt, gpu, milli FROM gpu_cleaning ORDER BY job, attempt, position");
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                shares.computeIfAbsent(new Attempt(new JobId(row.getLong(1)), row.getInt(2)), _ -> new ArrayList<>())
                        .add(new GpuShare(new GpuId(row.getString(3)), row.getInt(4)));
            }
        }
        SortedMap<Attempt, Allocation> cleaning = new TreeMap<>();
        shares.forEach((attempt, left) -> cleaning.put(attempt, new Allocation(left)));
        return cleaning;
    }

    private void execute(String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            statement.executeUpdate();
        }
    }
}
