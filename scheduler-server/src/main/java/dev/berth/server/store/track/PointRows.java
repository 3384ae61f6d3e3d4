package dev.berth.server.store.track;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rows of metrics and their points, which become blocks where there are many. */
final class PointRows {
    /** So many points are worth a block; fewer are rows of their own until others come. */
    private static final int BLOCK_POINTS = 256;

    private PointRows() {}

    static OpenSeries insert(Connection connection, long job, String name, StoredPoint first) throws SQLException {
        Metric metric = Metric.of(name, first);
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO series (job, name, points, loose, last_step, last_at, last_value, min_step, min_at, min_value,
                    max_step, max_at, max_value)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id""")) {
            insert.setLong(1, job);
            insert.setString(2, name);
            MetricRows.set(insert, 3, metric, 0);
            try (ResultSet row = insert.executeQuery()) {
                return OpenSeries.begun(row.getLong(1), metric, first);
            }
        }
    }

    /** Stores the fresh points of a metric, as a block where they and those before are enough for one, or all are. */
    static void store(Connection connection, OpenSeries series, boolean isLast) throws SQLException {
        int pending = series.loose() + series.fresh().size();
        boolean isBlock = pending >= BLOCK_POINTS || isLast;
        long firstLoose = series.metric().points() - pending;
        if (isBlock) {
            List<StoredPoint> points = loose(connection, series);
            points.addAll(series.fresh());
            block(connection, series.id(), firstLoose, points);
        } else {
            insertLoose(
                    connection,
                    series,
                    series.metric().points() - series.fresh().size());
        }
        int looseNow = isBlock ? 0 : pending;
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE series SET points = ?, loose = ?, last_step = ?, last_at = ?, last_value = ?,
                    min_step = ?, min_at = ?, min_value = ?, max_step = ?, max_at = ?, max_value = ?
                WHERE id = ?""")) {
            MetricRows.set(update, 1, series.metric(), looseNow);
            update.setLong(12, series.id());
            update.executeUpdate();
        }
        series.stored(looseNow);
    }

    private static List<StoredPoint> loose(Connection connection, OpenSeries series) throws SQLException {
        List<StoredPoint> points = new ArrayList<>();
        if (series.loose() > 0) {
            try (PreparedStatement delete = Statements.prepared(
                    connection,
                    "DELETE FROM loose_point WHERE series = ? RETURNING number, step, at, value",
                    series.id())) {
                // The order of what is returned is not promised.
                SortedMap<Long, StoredPoint> byNumber = new TreeMap<>();
                try (ResultSet row = delete.executeQuery()) {
                    while (row.next()) {
                        byNumber.put(
                                row.getLong(1),
                                new StoredPoint(row.getLong(2), row.getLong(3), MetricRows.value(row, "value")));
                    }
                }
                points.addAll(byNumber.values());
            }
        }
        return points;
    }

    private static void block(Connection connection, long series, long first, List<StoredPoint> points)
            throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO block (series, first, points) VALUES (?, ?, ?)")) {
            for (int from = 0; from < points.size(); from += PointBlock.MAX_POINTS) {
                int to = Math.min(points.size(), from + PointBlock.MAX_POINTS);
                insert.setLong(1, series);
                insert.setLong(2, first + from);
                insert.setBytes(3, PointBlock.encode(points.subList(from, to)));
                insert.executeUpdate();
            }
        }
    }

    private static void insertLoose(Connection connection, OpenSeries series, long first) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO loose_point (series, number, step, at, value) VALUES (?, ?, ?, ?, ?)")) {
            long number = first;
            for (StoredPoint point : series.fresh()) {
                insert.setLong(1, series.id());
                insert.setLong(2, number++);
                insert.setLong(3, point.step());
                insert.setLong(4, point.millis());
                MetricRows.setValue(insert, 5, point.value());
                insert.executeUpdate();
            }
        }
    }
}
