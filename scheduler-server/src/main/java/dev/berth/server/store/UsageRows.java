package dev.berth.server.store;

import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of {@code gpu_usage} and {@code job_usage}. */
final class UsageRows {
    private UsageRows() {}

    static void write(Connection connection, GpuSamples samples) throws SQLException {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * samples.samples().size());
        samples.samples().forEach(bytes::putLong);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT OR REPLACE INTO gpu_usage (gpu, step, place, block, samples) VALUES (?, ?, ?, ?, ?)")) {
            insert.setString(1, samples.gpu().uuid());
            insert.setInt(2, samples.step());
            insert.setInt(3, samples.place());
            insert.setLong(4, samples.block());
            insert.setBytes(5, bytes.array());
            insert.executeUpdate();
        }
    }

    /** Samples of one GPU, the oldest first. */
    static List<GpuSamples> read(Connection connection, GpuId gpu) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT step, place, block, samples FROM gpu_usage WHERE gpu = ? ORDER BY step, block")) {
            select.setString(1, gpu.uuid());
            List<GpuSamples> found = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    ByteBuffer bytes = ByteBuffer.wrap(row.getBytes(4));
                    List<Long> samples = new ArrayList<>();
                    while (bytes.remaining() >= Long.BYTES) {
                        samples.add(bytes.getLong());
                    }
                    found.add(new GpuSamples(gpu, row.getInt(1), row.getInt(2), row.getLong(3), samples));
                }
            }
            return found;
        }
    }

    static void write(Connection connection, StoredUsage usage) throws SQLException {
        ByteBuffer curve = ByteBuffer.allocate(usage.curve().size());
        usage.curve().forEach(percent -> curve.put(percent.byteValue()));
        try (PreparedStatement insert = connection.prepareStatement("""
            INSERT OR REPLACE INTO job_usage (job, attempt, known_millis, utilisation_millis, peak_memory_mib,
                idle_millis, energy_millijoules, curve_step, curve)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)\
            """)) {
            insert.setLong(1, usage.job().value());
            insert.setInt(2, usage.attempt());
            insert.setLong(3, usage.knownMillis());
            insert.setLong(4, usage.utilisationMillis());
            insert.setObject(5, usage.peakMemoryMiB());
            insert.setLong(6, usage.idleMillis());
            insert.setObject(7, usage.energyMillijoules());
            insert.setLong(8, usage.curveStep());
            insert.setBytes(9, curve.array());
            insert.executeUpdate();
        }
    }

    static Optional<StoredUsage> read(Connection connection, JobId job) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
            SELECT attempt, known_millis, utilisation_millis, peak_memory_mib, idle_millis, energy_millijoules,
                curve_step, curve
            FROM job_usage WHERE job = ?\
            """)) {
            select.setLong(1, job.value());
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(usage(job, row)) : Optional.empty();
            }
        }
    }

    private static StoredUsage usage(JobId job, ResultSet row) throws SQLException {
        List<Integer> curve = new ArrayList<>();
        for (byte percent : row.getBytes(8)) {
            curve.add(Byte.toUnsignedInt(percent));
        }
        return new StoredUsage(
                job,
                row.getInt(1),
                row.getLong(2),
                row.getLong(3),
                numberOrNull(row, 4),
                row.getLong(5),
                numberOrNull(row, 6),
                row.getLong(7),
                curve);
    }

    private static @Nullable Long numberOrNull(ResultSet row, int column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    static void delete(Connection connection, JobId job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM job_usage WHERE job = ?")) {
            delete.setLong(1, job.value());
            delete.executeUpdate();
        }
    }
}
