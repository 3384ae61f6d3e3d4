package dev.berth.server.store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The database as anybody else would look at it, beside the classes under test. */
public final class Tables {
    private Tables() {}

    /** Runs statements on a connection of its own. */
    public static void run(Path file, String... statements) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.executeUpdate(sql);
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** The rows of a query, their columns joined by a bar. */
    public static List<String> rows(Path file, String query) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            return rows(connection, query);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    public static List<String> rows(Connection connection, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                List<String> columns = new ArrayList<>();
                for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
                    columns.add(String.valueOf(row.getString(column)));
                }
                rows.add(String.join("|", columns));
            }
        }
        return rows;
    }

    public static long number(Path file, String query) {
        return Long.parseLong(rows(file, query).getFirst());
    }

    /** All that Berth keeps, row by row. */
    public static List<String> everything(Path file) {
        List<String> all = new ArrayList<>();
        for (String table : List.of("job", "allocation", "job_event", "job_count", "server", "sqlite_sequence")) {
            rows(file, "SELECT * FROM " + table + " ORDER BY 1, 2").forEach(row -> all.add(table + ": " + row));
        }
        return all;
    }
}
