package dev.berth.server.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TransactionMode;

/** Opens the database file, and brings its schema up to the newest. */
final class Database {
    /** How many {@code schema/NNN.sql} there are. */
    static final int NEWEST_SCHEMA = 3;

    private static final int BUSY_TIMEOUT_MILLIS = 10_000;

    private Database() {}

    /** The connection that writes: what it commits survives a power cut. */
    static Connection openWriter(Path file) {
        SQLiteConfig config = config();
        config.setJournalMode(JournalMode.WAL);
        config.setSynchronous(SynchronousMode.FULL);
        config.setTransactionMode(TransactionMode.IMMEDIATE);
        Connection connection = open(config, file);
        try {
            migrate(connection);
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            throw new StoreException("the database " + file + " cannot be brought up to date: " + e.getMessage(), e);
        }
        return connection;
    }

    /** A connection that reads what was committed. */
    static Connection openReader(Path file) {
        SQLiteConfig config = config();
        config.setReadOnly(true);
        return open(config, file);
    }

    private static SQLiteConfig config() {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        config.enforceForeignKeys(true);
        return config;
    }

    private static Connection open(SQLiteConfig config, Path file) {
        try {
            return config.createConnection("jdbc:sqlite:" + file);
        } catch (SQLException e) {
            throw new StoreException("the database " + file + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private static void migrate(Connection connection) throws SQLException {
        int version = version(connection);
        if (version > NEWEST_SCHEMA) {
            throw new StoreException("the database has schema " + version + " and this Berth knows up to "
                    + NEWEST_SCHEMA + "; start the newer Berth that wrote it");
        }
        for (int next = version + 1; next <= NEWEST_SCHEMA; next++) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(
                        "BEGIN IMMEDIATE;\n" + schema(next) + "\nPRAGMA user_version = " + next + ";\nCOMMIT;");
            }
        }
    }

    private static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
            return rows.getInt(1);
        }
    }

    private static String schema(int number) {
        String name = "schema/%03d.sql".formatted(number);
        try (InputStream in = Database.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new StoreException("the distribution lacks " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StoreException("the distribution's " + name + " cannot be read", e);
        }
    }
}
