package dev.berth.server.store.database;

import dev.berth.server.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy of what jobs told of themselves that goes with a backup, in a file beside it. The queue does not need it: where it
 * cannot be made, the backup is made without it, and the log says so.
 */
final class TrackingCopy {
    private static final Logger LOG = LoggerFactory.getLogger(TrackingCopy.class);
    private static final String DATABASE = "tracking.db";
    private static final String END = ".db";

    private TrackingCopy() {}

    /** The database of what jobs told that goes with the one of jobs. */
    static Path of(Path database) {
        return database.resolveSibling(DATABASE);
    }

    /** The copy that goes with a backup, as in {@code berth-20261121T030000Z.tracking.db}. */
    static Path beside(Path backup) {
        String name = String.valueOf(backup.getFileName());
        String begin = name.endsWith(END) ? name.substring(0, name.length() - END.length()) : name;
        return backup.resolveSibling(begin + "." + DATABASE);
    }

    /**
     * Makes a copy of what jobs told by now, on the disk.
     *
     * @param partial its name until then
     * @return whether there is one
     */
    static boolean make(Path database, Path partial) throws IOException {
        Path source = of(database);
        Files.deleteIfExists(partial);
        if (Files.notExists(source)) {
            return false;
        }
        try (Connection reader = Database.openReader(source)) {
            BackupFile.requireRoom(
                    Objects.requireNonNull(partial.toAbsolutePath().getParent()), BackupFile.bytes(reader));
            BackupFile.copy(reader, partial);
            DurableFiles.forceFile(partial);
            return true;
        } catch (SQLException | StoreException e) {
            LOG.warn("what jobs told of their metrics is not in the backup: {}", e.getMessage());
        } catch (BackupException e) {
            LOG.warn("what jobs told of their metrics is not in the backup: {}", e.sentence());
        }
        Files.deleteIfExists(partial);
        return false;
    }

    /** Brings the copy beside a backup back into the place beside a database, where there is one. */
    static void restore(Path backup, Path database) throws IOException {
        Path copy = beside(backup);
        Path place = of(database);
        if (Files.exists(copy) && Files.notExists(place, LinkOption.NOFOLLOW_LINKS)) {
            Path partial = new DatabaseFile(place).companion(".restored");
            Files.deleteIfExists(partial);
            Files.copy(copy, partial);
            DurableFiles.forceFile(partial);
            DurableFiles.move(partial, place);
        }
    }
}
