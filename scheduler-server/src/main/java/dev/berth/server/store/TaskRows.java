package dev.berth.server.store;

import dev.berth.core.job.JobId;
import dev.berth.core.job.StateName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;

/** Rows of {@code task_count}: how many tasks of an array are in which state. Triggers keep them. */
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

    /** Those of them that have ended. */
    static SortedMap<StateName, Long> ended(Connection connection, JobId array) throws SQLException {
        SortedMap<StateName, Long> counts = count(connection, array);
        counts.keySet().removeIf(state -> !state.isFinal());
        return counts;
    }
}
