package dev.berth.server.store.track;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Rows of {@code series} as metrics. */
final class MetricRows {
    private static final int FIRST = 3;

    private MetricRows() {}

    static Metric read(ResultSet row) throws SQLException {
        return new Metric(
                row.getString("name"),
                row.getLong("points"),
                new StoredPoint(row.getLong("last_step"), row.getLong("last_at"), value(row, "last_value")),
                point(row, "min"),
                point(row, "max"));
    }

    /** SQLite has no value that is no number. */
    static double value(ResultSet row, String column) throws SQLException {
        double value = row.getDouble(column);
        return row.wasNull() ? Double.NaN : value;
    }

    private static @Nullable StoredPoint point(ResultSet row, String prefix) throws SQLException {
        long step = row.getLong(prefix + "_step");
        return row.wasNull()
                ? null
                : new StoredPoint(step, row.getLong(prefix + "_at"), row.getDouble(prefix + "_value"));
    }

    /** Sets what a row is to have, from points and loose on. */
    static void set(PreparedStatement statement, int first, Metric metric, int loose) throws SQLException {
        statement.setLong(first, metric.points());
        statement.setInt(first + 1, loose);
        int at = first + 2;
        for (@Nullable StoredPoint point : new @Nullable StoredPoint[] {metric.last(), metric.min(), metric.max()}) {
            if (point == null) {
                statement.setObject(at, null);
                statement.setObject(at + 1, null);
                statement.setObject(at + 2, null);
            } else {
                statement.setLong(at, point.step());
                statement.setLong(at + 1, point.millis());
                setValue(statement, at + 2, point.value());
            }
            at += FIRST;
        }
    }

    static void setValue(PreparedStatement statement, int index, double value) throws SQLException {
        if (Double.isNaN(value)) {
            statement.setObject(index, null);
        } else {
            statement.setDouble(index, value);
        }
    }
}
