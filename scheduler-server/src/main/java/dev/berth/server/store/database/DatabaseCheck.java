package dev.berth.server.store.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks at a database by reading alone, before anything is done with it: is it one, is it ours, is it whole? */
final class DatabaseCheck {
    /** The {@code PRAGMA application_id} of our databases, "BRTH"; those that older versions made do not have it. */
    static final int APPLICATION_ID = 0x42525448;

    private static final Set<String> TABLES = Set.of("job", "allocation", "job_event", "job_count", "server");

    /** As many problems are told; who has one, has enough. */
    private static final int MAX_PROBLEMS = 20;

    private static final int FIRST_WITH_ARRAYS = 9;

    private DatabaseCheck() {}

    /**
     * The contents of a database.
     *
     * @param newest the id of the newest job that is no task of an array, 0 where there is none
     * @param lastId the highest id that is given away: that of the last task of an array, where that is the newest
     * @param newestAt when that one was submitted
     */
    record Contents(
            int schema,
            long jobs,
            long newest,
            long lastId,
            @Nullable Instant newestAt) {}

    /**
     * The reason why this is no database that this Berth can use; null where it is one. Damage further inside is not
     * looked for.
     */
    static @Nullable String objection(Connection reader) throws SQLException {
        int schema = number(reader, "PRAGMA user_version");
        int application = number(reader, "PRAGMA application_id");
        Set<String> tables = tables(reader);
        if (application != APPLICATION_ID && (application != 0 || !tables.containsAll(TABLES))) {
            return tables.isEmpty() && application == 0
                    ? "it is an empty database, without one table"
                    : "it is another program's database, not Berth's";
        }
        if (schema > Database.NEWEST_SCHEMA) {
            return "it has schema " + schema + " and this Berth knows up to " + Database.NEWEST_SCHEMA
                    + "; use the newer Berth that wrote it";
        }
        if (schema < 1) {
            return "it has a schema that no Berth ever had (" + schema + ")";
        }
        return tables.containsAll(TABLES) ? null : "it does not have the tables that it must have";
    }

    /** Every problem that there is with a file, a sentence each; none where it is a whole database of ours. */
    static List<String> problems(Path file) {
        if (!Files.isRegularFile(file)) {
            return List.of(Files.isDirectory(file) ? "it is a directory" : "it is not there");
        }
        try (Connection reader = Database.openReader(file)) {
            String objection = objection(reader);
            return objection == null ? damage(new DatabaseFile(file), reader, "integrity_check") : List.of(objection);
        } catch (SQLException e) {
            return List.of(DatabaseFile.said(e));
        } catch (IOException e) {
            return List.of("it cannot be read: " + e);
        } catch (StoreException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    /** Reads all of it. {@code integrity_check} holds indexes against tables too, {@code quick_check} does not. */
    static List<String> damage(DatabaseFile file, Connection reader, String check) throws SQLException, IOException {
        List<String> said = new ArrayList<>();
        if (endsWithinPage(file, reader)) {
            said.add("it ends in the middle of a page");
        }
        try (Statement statement = reader.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA " + check + "(" + MAX_PROBLEMS + ")")) {
            while (row.next()) {
                said.add(row.getString(1));
            }
        } catch (SQLException e) {
            if (!DatabaseFile.isBroken(e)) {
                throw e;
            }
            said.add(DatabaseFile.said(e));
        }
        said.remove("ok");
        return said;
    }

    /** SQLite reads zeros in place of what is missing. A log that is not empty may hold that page. */
    private static boolean endsWithinPage(DatabaseFile file, Connection reader) throws SQLException, IOException {
        Path log = file.log();
        return Files.size(file.path()) % number(reader, "PRAGMA page_size") != 0
                && (!Files.exists(log) || Files.size(log) == 0);
    }

    /** The contents of a database that is whole. */
    static Contents contents(Path file) throws SQLException {
        try (Connection reader = Database.openReader(file);
                Statement statement = reader.createStatement()) {
            int schema = number(reader, "PRAGMA user_version");
            long jobs;
            try (ResultSet row = statement.executeQuery("SELECT coalesce(sum(jobs), 0) FROM job_count")) {
                jobs = row.getLong(1);
            }
            long lastId;
            try (ResultSet row = statement.executeQuery("SELECT seq FROM sqlite_sequence WHERE name = 'job'")) {
                lastId = row.next() ? row.getLong(1) : 0;
            }
            // A task of an array is told of by its array.
            String noTask = schema < FIRST_WITH_ARRAYS ? "" : " WHERE array IS NULL";
            try (ResultSet row =
                    statement.executeQuery("SELECT id, submitted_at FROM job" + noTask + " ORDER BY id DESC LIMIT 1")) {
                return row.next()
                        ? new Contents(
                                schema,
                                jobs,
                                row.getLong(1),
                                lastId,
                                Instant.EPOCH.plus(row.getLong(2), ChronoUnit.MICROS))
                        : new Contents(schema, jobs, 0, lastId, null);
            }
        }
    }

    private static Set<String> tables(Connection reader) throws SQLException {
        Set<String> tables = new TreeSet<>();
        try (Statement statement = reader.createStatement();
                ResultSet row = statement.executeQuery("SELECT name FROM sqlite_schema WHERE type = 'table'")) {
            while (row.next()) {
                tables.add(row.getString(1));
            }
        }
        return tables;
    }

    static int number(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(pragma)) {
            return row.getInt(1);
        }
    }
}
