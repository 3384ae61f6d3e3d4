package dev.berth.server.gpu.lock;

import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.FileStatus;
import dev.berth.server.linux.KernelLocks;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Lock file, one of two, and our one descriptor of it. Which file that may be is {@link LockDirectory}'s to say.
 * Belongs to one thread at a time.
 */
final class LockFile implements AutoCloseable {
    /** The number of times that another process may put another file in its place while it is being locked. */
    private static final int MAX_TRIES = 16;

    private final Path path;
    private final KernelLocks kernelLocks;
    private final Opening opening;
    private @Nullable FileChannel channel;
    private @Nullable FileStatus opened;
    private @Nullable FileLock lock;

    LockFile(Path path, KernelLocks kernelLocks) {
        this(path, kernelLocks, LockDirectory::of);
    }

    LockFile(Path path, KernelLocks kernelLocks, Opening opening) {
        this.path = path;
        this.kernelLocks = kernelLocks;
        this.opening = opening;
    }

    /** The way to the directory of a lock file. */
    @FunctionalInterface
    interface Opening {
        LockDirectory open(Path path) throws IOException;
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

    /** A way to take the lock of a channel, null where another process has it. */
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
            // The file was removed meanwhile: a process that comes now locks another one.
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

    /** The process that has it, as far as the kernel lets us see; opens nothing. */
    OptionalLong holder() {
        try {
            Optional<FileStatus> there = statusOf(path);
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
        try (LockDirectory directory = opening.open(path);
                FileHandle file = directory.file()) {
            // What was looked at is opened, and not its name once more. For reading, too: as safe-gpu's own users may.
            channel = file.open(StandardOpenOption.READ, StandardOpenOption.WRITE);
            opened = file.status();
            return channel;
        }
    }

    /**
     * Where that cannot be said, the lock just taken is given up: it would be held for good by nobody who knows of it.
     */
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
        FileStatus ours = opened;
        return ours != null && statusOf(other.path).filter(ours::isSameFileAs).isPresent();
    }

    private static Optional<FileStatus> statusOf(Path path) throws IOException {
        try {
            return Optional.of(FileStatus.of(path));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private boolean isCurrent() throws IOException {
        FileStatus ours = opened;
        return ours != null && statusOf(path).filter(ours::isSameFileAs).isPresent();
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
