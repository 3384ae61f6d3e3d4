package dev.berth.server;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where everything of one server is, held by one server at a time. Others of the machine may pass through it to their
 * own jobs' files and to the socket, and see nothing else.
 */
record DataDirectory(Path path, Path key, FileChannel lock) implements AutoCloseable {
    /**
     * What this process holds, by its real path. To be asked before the lock: POSIX locks belong to the process, and
     * closing a second channel on the file would give back the first one's.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    static DataDirectory hold(Path path) {
        try {
            make(path, "rwx--x--x");
            make(path.resolve("jobs"), "rwx--x--x");
            make(path.resolve("snapshots"), "rwx------");
            Path key = path.toRealPath();
            if (!HELD.add(key)) {
                throw inUse(path);
            }
            return new DataDirectory(path, key, lock(path, key));
        } catch (AccessDeniedException e) {
            throw StartException.failed("no right to write to " + e.getFile() + "; take another place with --data-dir");
        } catch (IOException e) {
            throw StartException.failed("the data directory " + path + " cannot be used: " + e);
        }
    }

    private static FileChannel lock(Path path, Path key) throws IOException {
        FileChannel channel = null;
        FileLock lock = null;
        try {
            channel = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            lock = channel.tryLock();
            if (lock == null) {
                throw inUse(path);
            }
            return channel;
        } finally {
            if (lock == null) {
                HELD.remove(key);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    private static StartException inUse(Path path) {
        return StartException.failed("a server already uses " + path
                + "; berth server status shows it, berth server stop ends it, --data-dir DIR takes another");
    }

    private static void make(Path directory, String permissions) throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
    }

    /** Whom the server runs as. */
    long ownerUid() {
        return new UnixSystem().getUid();
    }

    Path database() {
        return path.resolve("berth.db");
    }

    Path jobs() {
        return path.resolve("jobs");
    }

    Path snapshots() {
        return path.resolve("snapshots");
    }

    @Override
    public void close() {
        try {
            lock.close();
            HELD.remove(key);
        } catch (IOException e) {
            throw new IllegalStateException("the lock of " + path + " could not be given back", e);
        }
    }
}
