package dev.berth.server.store.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Files that SQLite has open, and whether they are still those that a restart would find. SQLite goes on writing to a file
 * that was removed or replaced, and what it commits there is lost. Asked by stat(2) alone: opening the file would drop
 * SQLite's locks. Safe for any thread.
 */
public final class OpenDatabaseFiles {
    private final DatabaseFile file;
    private final @Nullable Object database;
    private volatile @Nullable Object log;

    private OpenDatabaseFiles(DatabaseFile file) throws IOException {
        this.file = file;
        this.database = key(file.path());
        this.log = Files.exists(file.log()) ? key(file.log()) : null;
    }

    /** Files of a database that was opened just now. */
    public static OpenDatabaseFiles of(DatabaseFile file) {
        try {
            return new OpenDatabaseFiles(file);
        } catch (IOException e) {
            throw new StoreException("the database " + file.path() + " is gone: " + e, e);
        }
    }

    /** Throws where another file, or none, is in the place of one of them. */
    public void require() {
        require(file.path(), database);
        Object opened = log;
        if (opened == null) {
            log = look(file.log());
        } else {
            require(file.log(), opened);
        }
    }

    private static void require(Path path, @Nullable Object opened) {
        Object found = look(path);
        if (found == null || !found.equals(opened)) {
            String what = found == null ? path + " is gone" : "another file is in the place of " + path;
            throw new StoreException(
                    what + ", while the server had it open: what is written now would be lost. Put it back, or bring a"
                            + " backup back with berth server restore, and start the server again",
                    null,
                    true);
        }
    }

    private static @Nullable Object look(Path path) {
        try {
            return key(path);
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }
}
