package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rows of {@code task_count}, how many tasks of an array are in which state, which triggers keep; and sums over tasks. */
final class TaskRows {
    private TaskRows() {}

    /** How many that are jobs of their own. */
    static SortedMap<StateName, Long> count(Connection connection, JobId array) throws SQLException {
        SortedMap<StateName, Long> counts = new TreeMap<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.TASK_COUNTS)) {
            select.setLong(1, array.value());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    StateName state = StateName.valueOf(StoredState.shown(row.getString(1)));
                    counts.merge(state, row.getLong(2), Long::sum);
                }
            }
        }
        return counts;
    }

    static TaskUsage usage(Connection connection, JobId array, Set<JobId> without) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(Selects.TASK_USAGE)) {
            select.setLong(1, array.value());
            select.setString(2, JobQueries.json(without.stream()));
            try (ResultSet row = select.executeQuery()) {
                return new TaskUsage(
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        numberOrNull(row, 5),
                        row.getLong(6),
                        numberOrNull(row, 7));
            }
        }
    }

    private static @Nullable Long numberOrNull(ResultSet row, int column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    /** The newest warnings about tasks, each of which says which task it is about; the oldest of them first. */
    static List<JobWarning> warnings(Connection connection, JobId array, boolean ofOpenTasks) throws SQLException {
        List<JobWarning> warnings = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(Selects.taskWarnings(ofOpenTasks))) {
            select.setLong(1, array.value());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    warnings.add(new JobWarning(
                            new JobId(row.getLong(1)),
                            row.getInt(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5),
                            JobRows.instant(row.getLong(6)),
                            JobRows.instantOrNull(row, "ended_at")));
                }
            }
        }
        return warnings;
    }

    /** Those of them that have ended. */
    static SortedMap<StateName, Long> ended(Connection connection, JobId array) throws SQLException {
        SortedMap<StateName, Long> counts = count(connection, array);
        counts.keySet().removeIf(state -> !state.isFinal());
        return counts;
    }
}
