package dev.berth.server.store.track;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Statements with their values. */
final class Statements {
    private Statements() {}

    static int update(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement update = prepared(connection, sql, values)) {
            return update.executeUpdate();
        }
    }

    static PreparedStatement prepared(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
