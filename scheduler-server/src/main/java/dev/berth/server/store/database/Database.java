package dev.berth.server.store.database;

import dev.berth.server.disk.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TransactionMode;

/** Opens the database file, and brings its schema up to the newest. */
public final class Database {
    /** The number of {@code schema/NNN.sql} there are. */
    public static final int NEWEST_SCHEMA = 18;

    /** A file up to this size, that of some 20,000 jobs, is read through at each start: a tenth of a second. */
    static final long CHECKED_BYTES = 16L << 20;

    private static final int BUSY_TIMEOUT_MILLIS = 10_000;

    private Database() {}

    /** The connection that writes: what it commits survives a power cut. A database that is missing is made. */
    public static Connection openWriter(Path path) {
        DatabaseFile file = new DatabaseFile(path);
        if (file.isMissing()) {
            create(file);
        } else {
            examine(file);
        }
        return upToDate(file);
    }

    private static Connection upToDate(DatabaseFile file) {
        Connection connection = open(writing(), file.path());
        try {
            int version = DatabaseCheck.number(connection, "PRAGMA user_version");
            if (version < NEWEST_SCHEMA) {
                file.backups().beforeSchema(connection, version + 1);
                migrate(connection, version);
            }
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            DatabaseFile.closeQuietly(connection, e);
            throw file.failed("the database " + file.path() + " cannot be brought up to date", e);
        } catch (BackupException e) {
            DatabaseFile.closeQuietly(connection, e);
            throw new StoreException(
                    "the database " + file.path() + " is not brought up to schema " + NEWEST_SCHEMA
                            + ", because it cannot be backed up before: " + e.sentence(),
                    e);
        } catch (StoreException e) {
            DatabaseFile.closeQuietly(connection, e);
            throw e;
        }
    }

    /** Reads before anything is written: another's file, or a damaged one, stays as it is. */
    private static void examine(DatabaseFile file) {
        Path path = file.path();
        try {
            if (!Files.isRegularFile(path)) {
                throw new StoreException("the database " + path + " cannot be opened: it is no file");
            }
            boolean small = Files.size(path) <= CHECKED_BYTES;
            try (Connection reader = openFirst(file)) {
                String objection = DatabaseCheck.objection(reader);
                if (objection != null) {
                    throw new StoreException("the database " + path + " cannot be used: " + objection
                            + ". It was left as it is; another place is taken with --data-dir");
                }
                List<String> damage = small ? DatabaseCheck.damage(file, reader, "quick_check") : List.of();
                if (!damage.isEmpty()) {
                    throw file.broken(damage.getFirst(), new SQLException(String.join("; ", damage)));
                }
            }
        } catch (SQLException e) {
            throw file.failed("the database " + path + " cannot be opened", e);
        } catch (IOException e) {
            throw new StoreException("the database " + path + " cannot be opened: " + e, e);
        }
    }

    /** A journal is what a power cut leaves of a switch to the log; a reader cannot take it back. */
    private static Connection openFirst(DatabaseFile file) {
        return Files.exists(file.companion("-journal")) ? open(config(), file.path()) : openReader(file.path());
    }

    /** Under another name until it is whole and on the disk: in its own place there is never half a database. */
    private static void create(DatabaseFile file) {
        DatabaseFile fresh = new DatabaseFile(file.companion(".new"));
        try {
            Files.deleteIfExists(fresh.path());
            for (String companion : DatabaseFile.COMPANIONS) {
                Files.deleteIfExists(fresh.companion(companion));
                requireNoLog(file, companion);
                Files.deleteIfExists(file.companion(companion));
            }
            try (Connection connection = open(writing(), fresh.path())) {
                migrate(connection, 0);
            }
            DurableFiles.forceFile(fresh.path());
            DurableFiles.move(fresh.path(), file.path());
            DurableFiles.forceDirectory(
                    Objects.requireNonNull(file.path().toAbsolutePath().getParent()));
            // From here on, a start that finds this directory and no database knows that one is missing.
            DurableFiles.makeDirectory(file.backups().directory());
        } catch (SQLException e) {
            throw file.failed("the database " + file.path() + " cannot be made", e);
        } catch (IOException e) {
            throw new StoreException("the database " + file.path() + " cannot be made: " + e, e);
        }
    }

    /** A log belongs to its database and to no other: given to a fresh one it would spoil it. */
    private static void requireNoLog(DatabaseFile file, String companion) throws IOException {
        Path log = file.companion(companion);
        if (!companion.equals("-shm") && Files.exists(log) && Files.size(log) > 0) {
            throw new StoreException("the database " + file.path() + " is gone, but " + log + " is there. "
                    + file.backups().wayOut());
        }
    }

    /** Has a database that nobody uses keep its changes in a log from now on, as the writer does. */
    static void useLog(Path file) throws SQLException {
        open(writing(), file).close();
    }

    /** A connection that reads what was committed. */
    public static Connection openReader(Path file) {
        SQLiteConfig config = config();
        config.setReadOnly(true);
        return open(config, file);
    }

    /**
     * A connection that writes to a database of what may be lost in a power cut, the newest first; one that is missing is
     * made. Its commits wait for no disk.
     */
    public static Connection openUnforced(Path file) {
        SQLiteConfig config = writing();
        config.setSynchronous(SynchronousMode.NORMAL);
        return open(config, file);
    }

    private static SQLiteConfig writing() {
        SQLiteConfig config = config();
        config.setJournalMode(JournalMode.WAL);
        config.setSynchronous(SynchronousMode.FULL);
        config.setTransactionMode(TransactionMode.IMMEDIATE);
        return config;
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
            throw new DatabaseFile(file).failed("the database " + file + " cannot be opened", e);
        }
    }

    private static void migrate(Connection connection, int version) throws SQLException {
        for (int next = version + 1; next <= NEWEST_SCHEMA; next++) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("BEGIN IMMEDIATE;\n" + schema(next) + "\nPRAGMA application_id = "
                        + DatabaseCheck.APPLICATION_ID + ";\nPRAGMA user_version = " + next + ";\nCOMMIT;");
            }
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
