package dev.berth.server;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.disk.DurableFiles;
import dev.berth.server.linux.FileStatus;
import dev.berth.server.linux.StandardError;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The directory with everything of one server, held by one server at a time. Others of the machine may pass through it
 * to their own jobs' outputs and to the socket, and see nothing else.
 */
record DataDirectory(Path path, Path key, FileChannel lock) implements AutoCloseable {
    private static final String ERRORS = "server.err";

    /**
     * The property that says where sqlite-jdbc unpacks its native library, which it loads into this process; {@code
     * /tmp} where nobody says.
     */
    private static final String UNPACKS = "org.sqlite.tmpdir";

    /**
     * The directories that this process holds, by their real paths. To be asked before the lock: POSIX locks belong to
     * the process, and closing a second channel on the file would give back the first one's.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    static DataDirectory hold(Path path) {
        try {
            TrustedPath.require(path, "the data directory", "--data-dir");
            requireOurs(path);
            make(path, "rwx--x--x");
            makeMissing(path.resolve("jobs"), "rwx------");
            make(path.resolve("snapshots"), "rwx------");
            Path key = path.toRealPath();
            if (!HELD.add(key)) {
                throw inUse(path);
            }
            DataDirectory held = new DataDirectory(path, key, lock(path, key));
            held.unpackHere();
            return held;
        } catch (AccessDeniedException e) {
            throw StartException.failed("no right to write to " + e.getFile() + "; take another place with --data-dir");
        } catch (IOException e) {
            throw StartException.failed("the data directory " + path + " cannot be used: " + e);
        }
    }

    /** Nothing of a server's is in a directory that all may write to; what one that was killed has left here goes. */
    private void unpackHere() throws IOException {
        Path place = unpacked();
        makeMissing(place, "rwx------");
        try (DirectoryStream<Path> left = Files.newDirectoryStream(place)) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
        }
        if (System.getProperty(UNPACKS) == null) {
            System.setProperty(UNPACKS, place.toString());
        }
    }

    private Path unpacked() {
        return path.resolve("native").toAbsolutePath();
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

    /** A directory that holds other things, or is another's, is not taken over: its rights would change under them. */
    private static void requireOurs(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return;
        }
        long owner = Integer.toUnsignedLong((Integer) Files.getAttribute(path, "unix:uid"));
        if (owner != new UnixSystem().getUid()) {
            throw StartException.failed("the data directory " + path + " belongs to user " + owner
                    + ", not to whom the server runs as; take another with --data-dir");
        }
        if (FileStatus.of(path.toRealPath()).isWritableByOthers()) {
            throw StartException.failed("the data directory " + path + " lets others write to it, who may have put"
                    + " anything there; take another with --data-dir");
        }
        try (Stream<Path> entries = Files.list(path)) {
            Set<String> names =
                    entries.map(entry -> String.valueOf(entry.getFileName())).collect(Collectors.toSet());
            names.removeAll(Set.of(ERRORS, "jobs", "snapshots", "users"));
            if (!names.isEmpty() && !names.contains("lock")) {
                throw StartException.failed("the data directory " + path + " holds other things than Berth's; take an"
                        + " empty one, or one that is not there yet, with --data-dir");
            }
        }
    }

    private static void make(Path directory, String permissions) throws IOException {
        makeMissing(directory, permissions);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
    }

    private static List<Path> missingAbove(Path directory) {
        return Stream.iterate(directory.getParent(), Objects::nonNull, Path::getParent)
                .takeWhile(above -> !Files.exists(above))
                .toList();
    }

    /**
     * Makes the directory where there is none. An existing one stays as it is: by the rights of an older one it is
     * known that it is to be taken over.
     */
    private static void makeMissing(Path directory, String permissions) throws IOException {
        if (!Files.isDirectory(directory)) {
            List<Path> above = missingAbove(directory.toAbsolutePath());
            Path parent = Files.createDirectories(directory).toAbsolutePath().getParent();
            for (Path made : above) {
                // Whatever the umask: users come through them to the socket and to their outputs.
                Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
            // Else a power cut could take the place with all that was acknowledged in it.
            DurableFiles.forceDirectory(Objects.requireNonNull(parent));
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
        }
    }

    /** From now on what goes wrong where no log is written, as in the virtual machine, stands in a file here. */
    void keepErrors() {
        try {
            StandardError.appendTo(path.resolve(ERRORS));
        } catch (IOException e) {
            Path file = path.resolve(ERRORS);
            throw StartException.failed(
                    Files.isSymbolicLink(file)
                            ? file + " is a link, which no server follows; remove it"
                            : file + " cannot be written: " + e.getMessage());
        }
    }

    /** The number of the user whom the server runs as. */
    long ownerUid() {
        return new UnixSystem().getUid();
    }

    Path database() {
        return path.resolve("berth.db");
    }

    Path jobs() {
        return path.resolve("jobs");
    }

    /** The directory where users find the outputs of their jobs. */
    Path users() {
        return path.resolve("users");
    }

    Path snapshots() {
        return path.resolve("snapshots");
    }

    @Override
    public void close() {
        if (unpacked().toString().equals(System.getProperty(UNPACKS))) {
            System.clearProperty(UNPACKS);
        }
        try {
            lock.close();
            HELD.remove(key);
        } catch (IOException e) {
            throw new IllegalStateException("the lock of " + path + " could not be given back", e);
        }
    }
}
