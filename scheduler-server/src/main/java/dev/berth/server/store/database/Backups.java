package dev.berth.server.store.database;

import dev.berth.server.disk.DurableFiles;
import dev.berth.server.disk.NoSpace;
import dev.berth.server.store.database.Backup.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The backups of a database, in a directory beside it. Each is made by SQLite on a connection that only reads, while
 * the database is in use: the writer does not wait for it. Safe for any thread, one backup at a time.
 */
public final class Backups {
    /** The number of backups kept that were asked for; then an administrator must look through them. */
    static final int MAX_ASKED = 100;

    /** The number of backups kept from before a change of the schema. */
    static final int KEPT_BEFORE_SCHEMA = 3;

    private static final String DIRECTORY = "backups";
    private static final String PARTIAL = "partial.db";

    private final Path database;
    private final Path directory;
    private final Consumer<StoreException> broken;
    private final Semaphore turn = new Semaphore(1);

    private Backups(Path database, Consumer<StoreException> broken) {
        this.database = database;
        this.directory = database.resolveSibling(DIRECTORY);
        this.broken = broken;
    }

    /** Backups of the database in this file, whether there are any or not. */
    public static Backups beside(Path database) {
        return beside(database, _ -> {});
    }

    /**
     * Backups of the database in this file.
     *
     * @param broken hears of it when a backup finds the database to be damaged
     */
    public static Backups beside(Path database, Consumer<StoreException> broken) {
        return new Backups(database, broken);
    }

    /** The file they are of. */
    public Path database() {
        return database;
    }

    /** The sentence that sums up a look for {@link #problems}; the first twenty of them. */
    public String verdict(List<String> problems) {
        return problems.isEmpty()
                ? "the database " + database + " is whole"
                : "the database " + database + " is broken: " + problems.getFirst()
                        + (problems.size() > 1 ? ", and " + (problems.size() - 1) + " more" : "")
                        + ". It was left as it is; stop the server if it runs. " + wayOut();
    }

    public Path directory() {
        return directory;
    }

    /** All that are there, the newest first. */
    public List<Backup> all() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.flatMap(file -> Backup.of(file).stream())
                    .sorted(Comparator.comparing(Backup::madeAt)
                            .thenComparing(Backup::file)
                            .reversed())
                    .toList();
        } catch (IOException e) {
            throw new StoreException("the backups in " + directory + " cannot be listed: " + e, e);
        }
    }

    /**
     * Every backup, but last those whose date is still to come: they were made while the date was wrong, or it is
     * wrong now. The one that is made now comes first in either case.
     */
    private List<Backup> all(Instant now) {
        return all().stream()
                .sorted(Comparator.comparing(backup -> backup.isStillToCome(now)))
                .toList();
    }

    /** The time when the last of a kind was made; one whose date is still to come was not. */
    public Optional<Instant> last(Kind kind, Instant now) {
        return of(kind).stream()
                .filter(backup -> !backup.isStillToCome(now))
                .map(Backup::madeAt)
                .findFirst();
    }

    /** The newest that is there, whole or not. */
    public Optional<Backup> newest() {
        return all().stream().findFirst();
    }

    /** The way to go on where the database cannot be used: a sentence. */
    public String wayOut() {
        return newest().map(backup -> "Bring the newest whole backup back with: berth server restore (the newest by"
                        + " its date is " + backup.file().getFileName() + ")")
                .orElse("There is no backup in " + directory
                        + ": bring one back from elsewhere with: berth server restore FILE");
    }

    /** Makes one beside the database. */
    public Backup make(Kind kind, Instant now) throws BackupException {
        return alone(() -> {
            if (kind == Kind.ASKED && of(kind).size() >= MAX_ASKED) {
                throw new BackupException(
                        BackupException.Kind.TOO_MANY_BACKUPS,
                        "there are " + MAX_ASKED + " backups in " + directory
                                + " that were asked for, as many as may be; remove some, or name another place");
            }
            try (Connection reader = Database.openReader(database)) {
                return placed(reader, kind, "", now);
            }
        });
    }

    /** Makes one in a file of the caller's choice, where nothing is yet. */
    public Backup writeTo(Path file, Instant now) throws BackupException {
        return alone(() -> {
            try (BackupFile target = BackupFile.in(file);
                    BackupFile told = BackupFile.in(TrackingCopy.beside(file))) {
                target.requireFree();
                told.requireFree();
                return writtenTo(target, told, now);
            }
        });
    }

    private Backup writtenTo(BackupFile target, BackupFile told, Instant now)
            throws BackupException, SQLException, IOException {
        DurableFiles.makeDirectory(directory);
        Path partial = TrackingCopy.beside(directory.resolve(PARTIAL));
        boolean isWhole = false;
        boolean hasTold = false;
        try (Connection reader = Database.openReader(database)) {
            if (TrackingCopy.make(database, partial)) {
                told.take(partial);
                hasTold = true;
            }
            target.take(written(reader));
            isWhole = true;
            return new Backup(target.place(), Kind.ASKED, now);
        } finally {
            if (hasTold && !isWhole) {
                told.remove();
            }
            Files.deleteIfExists(partial);
            removePartial();
        }
    }

    /** Makes the one without which no schema is changed, on the connection that is about to change it. */
    void beforeSchema(Connection writer, int schema) throws BackupException {
        Backup made = alone(() -> {
            // There is no clock here; the file tells best how old what is in it is.
            Instant changed = Files.getLastModifiedTime(database).toInstant();
            return placed(writer, Kind.BEFORE_SCHEMA, "%03d-".formatted(schema), changed);
        });
        prune(Kind.BEFORE_SCHEMA, KEPT_BEFORE_SCHEMA, made.madeAt());
    }

    /** Removes all but the newest of a kind; first of all those whose date is still to come. */
    public void prune(Kind kind, int keep, Instant now) throws BackupException {
        List<Backup> old = all(now).stream()
                .filter(backup -> backup.kind() == kind)
                .skip(keep)
                .toList();
        for (Backup backup : old) {
            try {
                Files.deleteIfExists(TrackingCopy.beside(backup.file()));
                Files.deleteIfExists(backup.file());
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }

    /** The problems of the database, a sentence each, read on a connection of its own; empty where nothing is. */
    public List<String> problems() {
        return DatabaseCheck.problems(database);
    }

    List<Backup> of(Kind kind) {
        return all().stream().filter(backup -> backup.kind() == kind).toList();
    }

    private Backup placed(Connection source, Kind kind, String detail, Instant at)
            throws BackupException, SQLException, IOException {
        DurableFiles.makeDirectory(directory);
        Path told = TrackingCopy.beside(directory.resolve(PARTIAL));
        try {
            // Before the jobs: what was told of one that the backup does not know is of no use.
            boolean hasTold = TrackingCopy.make(database, told);
            Path partial = written(source);
            Path place = unused(Backup.name(kind, detail, at));
            if (hasTold) {
                DurableFiles.move(told, TrackingCopy.beside(place));
            }
            DurableFiles.move(partial, place);
            DurableFiles.forceDirectory(directory);
            return Backup.of(place).orElseThrow(() -> new IllegalStateException(place + " has no backup's name"));
        } finally {
            Files.deleteIfExists(told);
            removePartial();
        }
    }

    private Path unused(String name) {
        Path place = directory.resolve(name);
        for (int number = 2; Files.exists(place); number++) {
            place = directory.resolve(name.replace(".db", "-" + number + ".db"));
        }
        return place;
    }

    /** A whole, checked copy on the disk, under a name that nobody takes for a backup. */
    private Path written(Connection source) throws BackupException, SQLException, IOException {
        DurableFiles.makeDirectory(directory);
        removePartial();
        Path partial = directory.resolve(PARTIAL);
        BackupFile.requireRoom(directory, BackupFile.bytes(source));
        BackupFile.copy(source, partial);
        List<String> problems = DatabaseCheck.problems(partial);
        if (!problems.isEmpty()) {
            throw new BackupException(
                    BackupException.Kind.FAILED, "the copy that was made is not whole: " + problems.getFirst());
        }
        DurableFiles.forceFile(partial);
        return partial;
    }

    private void removePartial() throws BackupException {
        try {
            Files.deleteIfExists(directory.resolve(PARTIAL));
            Files.deleteIfExists(directory.resolve(PARTIAL + "-journal"));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private interface Work {
        Backup go() throws BackupException, SQLException, IOException;
    }

    private Backup alone(Work work) throws BackupException {
        if (!turn.tryAcquire()) {
            throw new BackupException(
                    BackupException.Kind.BUSY, "another backup is being made; wait for its end, and ask again");
        }
        try {
            return work.go();
        } catch (SQLException e) {
            if (DatabaseFile.isBroken(e)) {
                StoreException why = new DatabaseFile(database).failed("the backup was not made", e);
                broken.accept(why);
                throw why;
            }
            throw new BackupException(
                    NoSpace.usable(directory) < BackupFile.RESERVE_BYTES
                            ? BackupException.Kind.NO_SPACE
                            : BackupException.Kind.FAILED,
                    "the backup was not made: " + DatabaseFile.said(e));
        } catch (IOException e) {
            throw failed(e);
        } finally {
            turn.release();
        }
    }

    private BackupException failed(IOException e) {
        return new BackupException(
                NoSpace.isWhy(
                                e,
                                Objects.requireNonNull(
                                        directory.toAbsolutePath().getParent()))
                        ? BackupException.Kind.NO_SPACE
                        : BackupException.Kind.FAILED,
                "the backup was not made: " + e);
    }

    /** Backups that are whole, from the newest on, and what is wrong with those that were passed over on the way. */
    Optional<Backup> newestGood(List<String> passedOver, Instant now) {
        List<Backup> candidates = all(now);
        for (Backup candidate : candidates) {
            List<String> problems = DatabaseCheck.problems(candidate.file());
            if (problems.isEmpty()) {
                candidates.stream()
                        .filter(other -> other.isStillToCome(now) && !candidate.isStillToCome(now))
                        .forEach(other -> passedOver.add(other.file().getFileName() + ": its date is still to come"));
                return Optional.of(candidate);
            }
            passedOver.add(candidate.file().getFileName() + ": " + problems.getFirst());
        }
        return Optional.empty();
    }
}
