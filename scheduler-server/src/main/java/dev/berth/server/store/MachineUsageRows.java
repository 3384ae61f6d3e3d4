package dev.berth.server.store;

import dev.berth.core.job.JobId;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Rows of {@code job_machine_usage}. */
final class MachineUsageRows {
    private MachineUsageRows() {}

    /** Of an attempt that is not the last one any more nothing is kept: a target may tell of it late. */
    static void write(Connection connection, StoredMachineUsage usage) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
            INSERT INTO job_machine_usage (job, attempt, cpu_millis, ran_millis, peak_memory_mib, curve_step, cpu_milli,
                memory_mib)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (job) DO UPDATE SET attempt = excluded.attempt, cpu_millis = excluded.cpu_millis,
                ran_millis = excluded.ran_millis, peak_memory_mib = excluded.peak_memory_mib,
                curve_step = excluded.curve_step, cpu_milli = excluded.cpu_milli, memory_mib = excluded.memory_mib
            WHERE excluded.attempt >= job_machine_usage.attempt\
            """)) {
            insert.setLong(1, usage.job().value());
            insert.setInt(2, usage.attempt());
            insert.setLong(3, usage.cpuMillis());
            insert.setLong(4, usage.ranMillis());
            insert.setLong(5, usage.peakMemoryMiB());
            insert.setLong(6, usage.curveStep());
            insert.setBytes(7, bytes(usage.cpuMilli()));
            insert.setBytes(8, bytes(usage.memoryMiB()));
            insert.executeUpdate();
        }
    }

    static Optional<StoredMachineUsage> read(Connection connection, JobId job) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
            SELECT attempt, cpu_millis, ran_millis, peak_memory_mib, curve_step, cpu_milli, memory_mib
            FROM job_machine_usage WHERE job = ?\
            """)) {
            select.setLong(1, job.value());
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? Optional.of(new StoredMachineUsage(
                                job,
                                row.getInt(1),
                                row.getLong(2),
                                row.getLong(3),
                                row.getLong(4),
                                row.getLong(5),
                                values(row.getBytes(6)),
                                values(row.getBytes(7))))
                        : Optional.empty();
            }
        }
    }

    static void delete(Connection connection, JobId job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM job_machine_usage WHERE job = ?")) {
            delete.setLong(1, job.value());
            delete.executeUpdate();
        }
    }

    private static byte[] bytes(List<Integer> values) {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * values.size());
        values.forEach(bytes::putInt);
        return bytes.array();
    }

    private static List<Integer> values(byte[] stored) {
        ByteBuffer bytes = ByteBuffer.wrap(stored);
        List<Integer> values = new ArrayList<>();
        while (bytes.remaining() >= Integer.BYTES) {
            values.add(bytes.getInt());
        }
        return values;
    }
}
