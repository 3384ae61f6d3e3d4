package dev.berth.server.store.track;

import dev.berth.server.store.database.Database;
import dev.berth.server.store.database.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The database file of what programs tell. What is committed survives the end of the process, and in a power cut the last
 * commits go together with the positions that were read, so that they are read again.
 */
final class TrackDatabase {
    /** The number of {@code schema/NNN.sql} there are. */
    private static final int NEWEST_SCHEMA = 1;

    /** The {@code PRAGMA application_id}, "BRTT". */
    private static final int APPLICATION_ID = 0x42525454;

    private TrackDatabase() {}

    /** The connection that writes; a database that is missing is made. */
    static Connection openWriter(Path file) {
        Connection connection;
        try {
            connection = Database.openUnforced(file);
        } catch (StoreException e) {
            throw TrackingException.of(e);
        }
        try {
            bringUp(connection, file);
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            throw closed(
                    connection,
                    new TrackingException("the database " + file + " cannot be used: " + e.getMessage(), e));
        } catch (TrackingException e) {
            throw closed(connection, e);
        }
    }

    private static TrackingException closed(Connection connection, TrackingException why) {
        try {
            connection.close();
        } catch (SQLException e) {
            why.addSuppressed(e);
        }
        return why;
    }

    private static void bringUp(Connection connection, Path file) throws SQLException {
        int application = number(connection, "application_id");
        int version = number(connection, "user_version");
        boolean isFresh = application == 0 && version == 0 && number(connection, "page_count") <= 1;
        if (!isFresh && application != APPLICATION_ID) {
            throw new TrackingException("the database " + file + " is not one that Berth made; it was left as it is");
        }
        if (version > NEWEST_SCHEMA) {
            throw new TrackingException("the database " + file + " has schema " + version
                    + " and this Berth knows up to " + NEWEST_SCHEMA + "; use the newer Berth that wrote it");
        }
        for (int next = version + 1; next <= NEWEST_SCHEMA; next++) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("BEGIN IMMEDIATE;\n" + schema(next) + "\nPRAGMA application_id = "
                        + APPLICATION_ID + ";\nPRAGMA user_version = " + next + ";\nCOMMIT;");
            }
        }
    }

    private static int number(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA " + pragma)) {
            return row.getInt(1);
        }
    }

    private static String schema(int number) {
        String name = "schema/%03d.sql".formatted(number);
        try (InputStream in = TrackDatabase.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new TrackingException("the distribution lacks " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new TrackingException("the distribution's " + name + " cannot be read", e);
        }
    }
}
