package dev.berth.server.gpu.lock;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One of the two files, and our one descriptor of it. The directory is world-writable, so whatever is there may be
 * somebody's trap. Belongs to one thread at a time.
 */
final class LockFile implements AutoCloseable {
    /** How often somebody may put another file in its place while it is being locked. */
    private static final int MAX_TRIES = 16;

    private final Path path;
    private final KernelLocks kernelLocks;
    private @Nullable FileChannel channel;
    private @Nullable FileIdentity opened;
    private @Nullable FileLock lock;

    LockFile(Path path, KernelLocks kernelLocks) {
        this.path = path;
        this.kernelLocks = kernelLocks;
    }

    Path path() {
        return path;
    }

    /** Takes it, where nobody has it. */
    boolean tryLock() throws IOException {
        return lock(FileChannel::tryLock);
    }

    /** Takes it, behind all who wait for it already; ends with an exception where this thread is interrupted. */
    void lock() throws IOException {
        if (!lock(FileChannel::lock)) {
            throw new IOException("a lock that is waited for was not had");
        }
    }

    /** What takes the lock of a channel, null where somebody else has it. */
    private interface Taking {
        @Nullable
        FileLock of(FileChannel channel) throws IOException;
    }

    private boolean lock(Taking taking) throws IOException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            FileChannel current = current();
            FileLock taken = taking.of(current);
            if (taken == null) {
                return false;
            }
            if (isStillCurrent()) {
                lock = taken;
                return true;
            }
            // Somebody took the file away meanwhile: whoever comes now locks another one.
            close();
        }
        throw new IOException(path + " is replaced again and again");
    }

    void unlock() {
        FileLock held = lock;
        lock = null;
        try {
            if (held != null) {
                held.release();
            }
        } catch (IOException e) {
            // Closing drops it, too.
            close();
        }
    }

    boolean isLocked() {
        return lock != null;
    }

    /** Who has it, as far as the kernel lets us see; opens nothing. */
    OptionalLong holder() {
        try {
            Optional<FileIdentity> there = FileIdentity.of(path);
            return there.isPresent() ? kernelLocks.holder(there.get()) : OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    private FileChannel current() throws IOException {
        FileChannel open = channel;
        if (open != null && open.isOpen() && isCurrent()) {
            return open;
        }
        close();
        FileIdentity before = required();
        // For reading, too: a FIFO that somebody puts there now would hold up who only writes (fifo(7)). Without
        // O_CREAT, which in /tmp is refused for a file of another's, even to root (fs.protected_regular).
        FileChannel fresh =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        channel = fresh;
        opened = before;
        return fresh;
    }

    /** Where that cannot be said, the lock just taken is given up: it would be held for good by nobody who knows of it. */
    private boolean isStillCurrent() throws IOException {
        try {
            return isCurrent();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Whether the other's path leads to this one's open file. */
    boolean isAlso(LockFile other) throws IOException {
        FileIdentity ours = opened;
        return ours != null
                && FileIdentity.of(other.path).filter(ours::isSameFileAs).isPresent();
    }

    private boolean isCurrent() throws IOException {
        FileIdentity ours = opened;
        return ours != null && FileIdentity.of(path).filter(ours::isSameFileAs).isPresent();
    }

    private FileIdentity required() throws IOException {
        Path directory = path.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw new AccessDeniedException(directory + " is not a directory");
            }
            makeDirectory(directory, path.getFileName());
        }
        if (FileIdentity.of(path).isEmpty()) {
            makeFile();
        }
        FileIdentity there =
                FileIdentity.of(path).orElseThrow(() -> new IOException(path + " goes away again and again"));
        if (!there.isRegular()) {
            throw new AccessDeniedException(path + " is not a regular file");
        }
        return there;
    }

    /**
     * With the file in it, in one step, so that nobody ever finds it half made and fails there. As safe-gpu makes it
     * under the usual umask: everybody may use the file, and nobody but us may take it away.
     */
    private static void makeDirectory(Path directory, Path file) throws IOException {
        Path whole = Files.createTempDirectory(directory.getParent(), ".berth-safe-gpu-");
        try {
            forEverybody(Files.createFile(whole.resolve(file)));
            Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(whole, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(whole.resolve(file));
            Files.deleteIfExists(whole);
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
            // Somebody else was first.
        }
    }

    /** Under another name first: it is to be everybody's from the moment on at which it can be found. */
    private void makeFile() throws IOException {
        Path whole = Files.createTempFile(path.getParent(), ".berth-safe-gpu-", "");
        try {
            forEverybody(whole);
            Files.createLink(path, whole);
        } catch (FileAlreadyExistsException e) {
            // Somebody else was first.
        } finally {
            Files.delete(whole);
        }
    }

    private static void forEverybody(Path file) throws IOException {
        Path _ = Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    @Override
    public void close() {
        FileChannel open = channel;
        channel = null;
        opened = null;
        lock = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            // Nothing was written, so nothing can be lost.
        }
    }
}
