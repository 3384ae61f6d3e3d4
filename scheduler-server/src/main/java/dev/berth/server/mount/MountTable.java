package dev.berth.server.mount;

import dev.berth.server.linux.ErrorNumber;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.Mounting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mounts of the server's own, by which an engine is handed files and not paths. They are in a memory file system that
 * is there while any of them is: an engine that does not see it finds no such path, instead of an empty directory.
 * Nothing on disk lies below it, so that nothing that deletes directories can come to a user's files. Safe for any
 * thread.
 */
final class MountTable {
    private static final Logger LOG = LoggerFactory.getLogger(MountTable.class);

    private final Path directory;
    private int open;
    private long serial;

    /** Makes a table, and clears what a server before this one has left at the directory. */
    MountTable(Path directory) {
        this.directory = directory;
        clear();
    }

    /** The directory where the mounts of that name will be. */
    Path place(String name) {
        return directory.resolve(name);
    }

    /** A new, empty place for mounts, of no name yet. */
    synchronized Path begin() {
        try {
            if (open == 0) {
                Files.createDirectories(directory);
                require(Mounting.mountMemory(directory));
            }
            Path place = Files.createDirectory(directory.resolve("new-" + ++serial));
            open++;
            return place;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Mounts what a descriptor stands for, and all below it. */
    void add(Path at, FileHandle file, boolean isDirectory, boolean readOnly) {
        try {
            Path _ = isDirectory ? Files.createDirectory(at) : Files.createFile(at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int tree = require(Mounting.cloneTree(file));
        try {
            require(Mounting.restrict(tree, readOnly));
            require(Mounting.attach(tree, at));
        } finally {
            Mounting.close(tree);
        }
    }

    /** Gives a place its name once everything is in it, so that no path is ever there without its mount. */
    synchronized void name(Path place, String name) {
        try {
            Files.move(place, place(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes a place away: first its name, then what is mounted there. */
    synchronized void end(Path place) {
        try {
            Path old = Files.move(place, directory.resolve("old-" + ++serial));
            for (Path mount : entries(old)) {
                int failure = Mounting.unmount(mount);
                // Where a mount came to nothing there is only what it would have been mounted on.
                if (failure != 0 && failure != -ErrorNumber.EINVAL) {
                    LOG.warn("{} could not be unmounted: the kernel's error {}", mount, -failure);
                }
                Files.delete(mount);
            }
            Files.delete(old);
        } catch (IOException e) {
            LOG.warn("{} could not be taken away: {}", place, e.toString());
        }
        open--;
        if (open == 0) {
            clear();
        }
    }

    private static List<Path> entries(Path place) throws IOException {
        try (Stream<Path> entries = Files.list(place)) {
            return entries.toList();
        }
    }

    private void clear() {
        if (!Files.exists(directory)) {
            return;
        }
        int answer = 0;
        while (answer == 0) {
            answer = Mounting.unmount(directory);
        }
        try {
            Files.delete(directory);
        } catch (IOException e) {
            LOG.warn("{} could not be taken away: {}", directory, e.toString());
        }
    }

    private static int require(int answer) {
        if (answer >= 0) {
            return answer;
        }
        throw new MountException(
                switch (-answer) {
                    case ErrorNumber.EPERM ->
                        "cannot be handed to the engine: the server may not mount (CAP_SYS_ADMIN); one that runs in a"
                                + " container gives no mounts";
                    case ErrorNumber.ENOSYS -> "cannot be handed to the engine: that takes Linux 5.12 or later";
                    default -> "cannot be handed to the engine: the kernel's error " + -answer;
                });
    }
}
