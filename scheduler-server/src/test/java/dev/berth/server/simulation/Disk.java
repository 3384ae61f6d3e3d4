package dev.berth.server.simulation;

import dev.berth.core.job.Job;
import dev.berth.core.machine.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The disk under the database: it takes no more in the middle of a write, or at the commit. Changed only while there is
 * no server: that one keeps the database to itself.
 */
final class Disk {
    private final Path database;
    private final Path backup;
    private final Books books;
    private boolean broken;
    private boolean restored;
    private @Nullable Set<Long> known;

    /** A disk on which the books are kept that somebody reads there. */
    Disk(Path database, Books books) {
        this.database = database;
        this.books = books;
        this.backup = database.resolveSibling("backup.db");
    }

    boolean isBroken() {
        return broken;
    }

    /** The write of so many events from now on fails, in the middle of its transaction. */
    void breakAtWrite(int number) {
        breakAt(number, """
                CREATE TRIGGER blow BEFORE INSERT ON job_event BEGIN
                    SELECT RAISE(ABORT, 'database or disk is full') FROM fuse WHERE left = 0;
                    UPDATE fuse SET left = left - 1;
                END""");
    }

    /** The same for the commit of that transaction. */
    void breakAtCommit(int number) {
        breakAt(number, """
                CREATE TRIGGER blow AFTER INSERT ON job_event BEGIN
                    UPDATE fuse SET left = left - 1;
                    INSERT INTO debt SELECT -1 FROM fuse WHERE left < 0;
                END""");
    }

    private void breakAt(int number, String trigger) {
        broken = true;
        run(
                "CREATE TABLE fuse (left INTEGER)",
                "INSERT INTO fuse VALUES (" + number + ")",
                "CREATE TABLE debt (job INTEGER REFERENCES job (id) DEFERRABLE INITIALLY DEFERRED)",
                trigger);
    }

    /** Makes a copy of what is committed; it holds all jobs that somebody was told of before. */
    void backUp(Set<Long> acknowledged) {
        try {
            Files.deleteIfExists(backup);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run("VACUUM INTO '" + backup + "'");
        known = Set.copyOf(acknowledged);
    }

    /** Brings the copy back; answers the jobs that were acknowledged when it was made, empty where there is none. */
    Optional<Set<Long>> restore() {
        Set<Long> kept = known;
        if (kept == null) {
            return Optional.empty();
        }
        try {
            for (String file : List.of("-wal", "-shm")) {
                Files.deleteIfExists(database.resolveSibling(database.getFileName() + file));
            }
            Files.copy(backup, database, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        restored = true;
        return Optional.of(kept);
    }

    boolean wasRestored() {
        return restored;
    }

    /** There is room again. */
    void mend() {
        if (broken) {
            broken = false;
            run("DROP TRIGGER blow", "DROP TABLE fuse", "DROP TABLE debt");
        }
    }

    /** Whatever the server showed to anybody is here: what is not committed may be gone the next moment. */
    void requireHas(Machine shown) {
        for (Job job : shown.live().values()) {
            int attempt = job.state().attempt();
            boolean isThere = books.attempt(job.id())
                    .filter(row -> row.number() > attempt || (row.number() == attempt && !row.isWaiting()))
                    .isPresent();
            Law.DURABLE.require(isThere, () -> job + " was shown and is not in the database");
        }
    }

    private void run(String... statements) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.executeUpdate(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
