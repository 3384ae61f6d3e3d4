package dev.berth.server.store.database;

import dev.berth.server.disk.DurableFiles;
import dev.berth.server.disk.NoSpace;
import dev.berth.server.linux.FileHandle;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;

/**
 * A file that is to become a backup, in a place that a caller chose. The directory may be another user's: nothing in it
 * is trusted, no name in it is followed, and nothing that is there is changed. It is looked up once, and held: who
 * exchanges it, or a directory on the way, has the file not go elsewhere.
 *
 * @param place as it was named, for people
 * @param directory in which it is
 */
record BackupFile(Path place, FileHandle directory) implements AutoCloseable {
    /** A backup that leaves less than this would stop the server it is made for. */
    static final long RESERVE_BYTES = 16L << 20;

    static BackupFile in(Path file) throws BackupException {
        Path directory = file.getParent();
        if (!file.isAbsolute() || directory == null || file.getFileName() == null) {
            throw badPlace(file, "it must be a whole path, from / on");
        }
        BackupFile held;
        try {
            held = new BackupFile(file, FileHandle.followedAnywhere(directory.toString()));
        } catch (IOException e) {
            throw badPlace(file, "there is no directory " + directory);
        }
        if (!Files.isDirectory(held.directory.path())) {
            held.close();
            throw badPlace(file, "there is no directory " + directory);
        }
        return held;
    }

    private String name() {
        return String.valueOf(place.getFileName());
    }

    /** The place in the directory that is held. */
    private Path there() {
        return directory.path().resolve(name());
    }

    void requireFree() throws BackupException {
        if (Files.exists(there(), LinkOption.NOFOLLOW_LINKS)) {
            throw exists();
        }
    }

    private BackupException exists() {
        return new BackupException(
                BackupException.Kind.FILE_EXISTS,
                "there is a file " + place + " already, and no backup is written over one; take another name");
    }

    private static BackupException badPlace(Path file, String why) {
        return new BackupException(BackupException.Kind.BAD_PLACE, "no backup can be written to " + file + ": " + why);
    }

    /** Makes a whole copy, from another place, the file; it has its name when all of it is on the disk. */
    void take(Path whole) throws BackupException, IOException {
        try {
            if (!isLinked(whole)) {
                copyFrom(whole);
            }
            DurableFiles.forceDirectory(directory.path());
        } catch (FileAlreadyExistsException e) {
            throw exists();
        } catch (AccessDeniedException e) {
            throw badPlace(place, "the server has no right to write there");
        }
    }

    /** Removes what {@link #take} has made. */
    void remove() throws IOException {
        Files.deleteIfExists(there());
    }

    /** On the same file system the copy gets a second name, and that is all. */
    private boolean isLinked(Path whole) throws IOException {
        try {
            Files.createLink(there(), whole);
            return true;
        } catch (FileAlreadyExistsException | AccessDeniedException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException otherFileSystem) {
            return false;
        }
    }

    private void copyFrom(Path whole) throws BackupException, IOException {
        requireRoom(String.valueOf(place.getParent()), directory.path(), Files.size(whole));
        String name = "." + name() + ".partial";
        Path partial = directory.path().resolve(name);
        // Made by this call or not at all: the directory's owner cannot have it write through a name of theirs.
        try (FileChannel from = FileChannel.open(whole, StandardOpenOption.READ);
                FileChannel to = FileChannel.open(
                        partial,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            for (long done = 0; done < from.size(); ) {
                done += from.transferTo(done, from.size() - done, to);
            }
            to.force(true);
        } catch (FileAlreadyExistsException e) {
            throw badPlace(place, "a broken-off backup is in the way: " + place.resolveSibling(name));
        } catch (IOException e) {
            Files.deleteIfExists(partial);
            throw e;
        }
        try {
            directory.rename(name, name());
        } catch (IOException e) {
            Files.deleteIfExists(partial);
            throw e;
        }
    }

    static void requireRoom(Path directory, long bytes) throws BackupException {
        requireRoom(directory.toString(), directory, bytes);
    }

    private static void requireRoom(String shown, Path directory, long bytes) throws BackupException {
        long usable = NoSpace.usable(directory);
        if (usable - RESERVE_BYTES < bytes) {
            throw new BackupException(
                    BackupException.Kind.NO_SPACE,
                    "the backup takes up to " + bytes + " bytes, and " + shown + " has " + usable
                            + " left, of which " + RESERVE_BYTES
                            + " stay free for the server; make room, or name another place");
        }
    }

    /** The number of bytes that a database has at the most, as it is now. */
    static long bytes(Connection source) throws SQLException {
        return (long) DatabaseCheck.number(source, "PRAGMA page_count")
                * DatabaseCheck.number(source, "PRAGMA page_size");
    }

    /** Writes all that is committed to a file that is not there yet; readable by its owner alone, if the umask is. */
    static void copy(Connection source, Path target) throws SQLException {
        try (PreparedStatement copy = source.prepareStatement("VACUUM INTO ?")) {
            copy.setString(1, target.toString());
            copy.executeUpdate();
        }
    }

    @Override
    public void close() {
        directory.close();
    }
}
