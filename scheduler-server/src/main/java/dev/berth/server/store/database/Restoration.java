package dev.berth.server.store.database;

import dev.berth.server.disk.DurableFiles;
import dev.berth.server.disk.NoSpace;
import dev.berth.server.store.database.BackupException.Kind;
import dev.berth.server.store.database.DatabaseCheck.Contents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Brings a backup back into a database's place. Only while no server has the database open, which the caller ensures. */
public final class Restoration {
    private static final String RESTORED = ".restored";

    private final DatabaseFile database;
    private final Path directory;

    public Restoration(Path database) {
        this.database = new DatabaseFile(database);
        this.directory = Objects.requireNonNull(database.toAbsolutePath().getParent());
    }

    /**
     * The result of a restoration.
     *
     * @param backup the file that it came from
     * @param setAside what was in its place before, under its new name; null where nothing was
     * @param jobs how many jobs are in it
     * @param newestJob the id of the newest, 0 where there is none
     * @param lastId the highest id that it gives away: that of the last task of an array, where that is the newest
     * @param newestAt when that one was submitted
     * @param passedOver backups of a later date that were not taken, and why
     */
    public record Restored(
            Path backup,
            @Nullable Path setAside,
            int schema,
            long jobs,
            long newestJob,
            long lastId,
            @Nullable Instant newestAt,
            List<String> passedOver) {
        public Restored {
            passedOver = List.copyOf(passedOver);
        }
    }

    /**
     * Checks a backup, sets aside what is in the database's place, and puts a copy there.
     *
     * @param chosen the backup, null for the newest good one
     * @throws BackupException where there is none that is good; nothing was touched then
     */
    public Restored from(@Nullable Path chosen, Instant now) throws BackupException {
        List<String> passedOver = new ArrayList<>();
        Path backup = chosen == null ? newest(passedOver, now) : good(chosen);
        Path copy = database.companion(RESTORED);
        try {
            Contents contents = DatabaseCheck.contents(backup);
            write(backup, copy);
            Path setAside = setAside(now);
            DurableFiles.move(copy, database.path());
            TrackingCopy.restore(backup, database.path());
            DurableFiles.forceDirectory(directory);
            return new Restored(
                    backup,
                    setAside,
                    contents.schema(),
                    contents.jobs(),
                    contents.newest(),
                    contents.lastId(),
                    contents.newestAt(),
                    passedOver);
        } catch (SQLException e) {
            throw new BackupException(Kind.FAILED, backup + " was not brought back: " + DatabaseFile.said(e));
        } catch (IOException e) {
            throw new BackupException(
                    NoSpace.isWhy(e, directory) ? Kind.NO_SPACE : Kind.FAILED, backup + " was not brought back: " + e);
        }
    }

    private Path newest(List<String> passedOver, Instant now) throws BackupException {
        Optional<Backup> newest = database.backups().newestGood(passedOver, now);
        if (newest.isEmpty()) {
            throw new BackupException(
                    Kind.BAD_BACKUP,
                    "there is no good backup in " + database.backups().directory()
                            + (passedOver.isEmpty() ? "" : " (" + String.join("; ", passedOver) + ")")
                            + "; name one: berth server restore FILE. The database was left as it is");
        }
        return newest.get().file();
    }

    private Path good(Path chosen) throws BackupException {
        if (isSame(chosen)) {
            throw new BackupException(Kind.BAD_BACKUP, chosen + " is the database itself, and no backup of it");
        }
        List<String> problems = DatabaseCheck.problems(chosen);
        if (!problems.isEmpty()) {
            throw new BackupException(
                    Kind.BAD_BACKUP,
                    chosen + " is no good backup: " + problems.getFirst() + ". The database was left as it is");
        }
        return chosen;
    }

    private boolean isSame(Path chosen) {
        try {
            return Files.exists(database.path()) && Files.isSameFile(chosen, database.path());
        } catch (IOException e) {
            return false;
        }
    }

    /** A copy as a server leaves its database, so that its first start changes nothing that a power cut could halve. */
    private static void write(Path backup, Path copy) throws SQLException, IOException, BackupException {
        Files.deleteIfExists(copy);
        for (String companion : DatabaseFile.COMPANIONS) {
            Files.deleteIfExists(new DatabaseFile(copy).companion(companion));
        }
        try (Connection reader = Database.openReader(backup)) {
            BackupFile.requireRoom(Objects.requireNonNull(copy.toAbsolutePath().getParent()), BackupFile.bytes(reader));
            BackupFile.copy(reader, copy);
        }
        Database.useLog(copy);
        countSendings(copy);
        DurableFiles.forceFile(copy);
    }

    /** Which notices were sent after the backup was made is not known: each of its outbox may be a repetition, and says so. */
    private static void countSendings(Path copy) throws SQLException {
        try (Connection writer = Database.openUnforced(copy);
                Statement statement = writer.createStatement()) {
            boolean hasOutbox;
            try (ResultSet table =
                    statement.executeQuery("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'notice'")) {
                hasOutbox = table.next();
            }
            if (hasOutbox) {
                statement.executeUpdate("UPDATE notice SET sendings = sendings + 1");
            }
        }
    }

    /** The file first: without it, what a crash leaves is no database, and never one that lacks its newest changes. */
    private @Nullable Path setAside(DatabaseFile file, String begin, Instant now) throws IOException {
        DatabaseFile aside = new DatabaseFile(asideName(begin, now));
        boolean isThere = Files.exists(file.path(), LinkOption.NOFOLLOW_LINKS);
        if (isThere) {
            DurableFiles.move(file.path(), aside.path());
            DurableFiles.forceDirectory(directory);
        }
        for (String end : DatabaseFile.COMPANIONS) {
            if (Files.exists(file.companion(end), LinkOption.NOFOLLOW_LINKS)) {
                DurableFiles.move(file.companion(end), aside.companion(end));
            }
        }
        DurableFiles.forceDirectory(directory);
        return isThere ? aside.path() : null;
    }

    /** What jobs told first: it is of no use without the jobs. */
    private @Nullable Path setAside(Instant now) throws IOException {
        Path _ = setAside(new DatabaseFile(TrackingCopy.of(database.path())), "tracking-replaced-", now);
        return setAside(database, "berth-replaced-", now);
    }

    private Path asideName(String begin, Instant now) {
        String name = begin + Backup.time(now);
        Path place = directory.resolve(name + ".db");
        for (int number = 2; Files.exists(place, LinkOption.NOFOLLOW_LINKS); number++) {
            place = directory.resolve(name + "-" + number + ".db");
        }
        return place;
    }

    /** Moves away what is left of a database that is gone, so that an empty one can be made. Answers where to. */
    public Optional<Path> clear(Instant now) throws BackupException {
        if (!database.isMissing()) {
            throw new BackupException(Kind.FILE_EXISTS, "there is a database " + database.path());
        }
        try {
            return Optional.ofNullable(setAside(now));
        } catch (IOException e) {
            throw new BackupException(Kind.FAILED, "what is left of the database was not moved away: " + e);
        }
    }
}
