package dev.berth.server.gpu.lock;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.linux.FileHandle;
import dev.berth.server.linux.FileStatus;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * The directory that a lock file is in, held by a handle. Everybody may write to {@code /tmp}, and {@code
 * /tmp/safe_gpu} belongs to the one who made it first (safe_gpu.py), so each name in them may lead elsewhere the next
 * time: what was looked at is what is used, nothing is made in a directory that another user rules, and nobody's file
 * is changed.
 */
final class LockDirectory implements AutoCloseable {
    private static final String EVERYBODYS_FILE = "rw-rw-rw-";
    private static final String OURS_TO_WRITE = "rwxr-xr-x";
    private static final int MAX_TRIES = 16;

    private final Path path;
    private final String name;
    private final FileHandle directory;
    private final Trust trust;

    /** The trust in a name in a directory: what others can do to it. */
    private enum Trust {
        /** Nobody else makes, removes or renames anything there. */
        OURS,
        /** Everybody makes files there, and nobody removes or renames another's. */
        SHARED,
        /** Others rename and remove there what they like. */
        OTHERS
    }

    private LockDirectory(Path path, String name, FileHandle directory, Trust trust) {
        this.path = path;
        this.name = name;
        this.directory = directory;
        this.trust = trust;
    }

    /** Directory of a file, made where it is missing and its parent is sound. */
    static LockDirectory of(Path file) throws IOException {
        Path path = Objects.requireNonNull(file.getParent());
        String name = String.valueOf(file.getFileName());
        FileHandle directory = hold(path, name);
        try {
            FileStatus status = directory.status();
            if (!status.isDirectory()) {
                throw new AccessDeniedException(path + " is not a directory");
            }
            return new LockDirectory(path, name, directory, trust(status));
        } catch (IOException e) {
            directory.close();
            throw e;
        }
    }

    private static FileHandle hold(Path path, String file) throws IOException {
        try {
            return FileHandle.of(path);
        } catch (NoSuchFileException e) {
            return made(path, file);
        }
    }

    private static FileHandle made(Path path, String file) throws IOException {
        Path parent = Objects.requireNonNull(path.getParent());
        try (FileHandle above = FileHandle.of(parent)) {
            if (trust(above.status()) == Trust.OTHERS) {
                throw new AccessDeniedException(
                        path + " is not there, and " + parent + " is another user's: nothing is made in it");
            }
            make(above, path, file);
            return above.child(String.valueOf(path.getFileName()));
        }
    }

    /**
     * With the file in it, in one step, so that nobody ever finds it half made and fails there: everybody may use the
     * file, and nobody but us may take it away.
     */
    private static void make(FileHandle above, Path path, String file) throws IOException {
        String unnamed = unnamed();
        Path whole = Files.createDirectory(above.path().resolve(unnamed));
        boolean moved = false;
        try (FileHandle made = above.child(unnamed)) {
            FileStatus status = made.status();
            if (!status.isDirectory() || trust(status) != Trust.OURS) {
                throw new AccessDeniedException(path + " was replaced while it was made");
            }
            makeFile(made, file);
            made.permit(PosixFilePermissions.fromString(OURS_TO_WRITE));
            above.rename(unnamed, String.valueOf(path.getFileName()));
            moved = true;
        } catch (FileAlreadyExistsException e) {
            // Another process was first.
        } finally {
            if (!moved) {
                Files.deleteIfExists(whole.resolve(file));
                Files.deleteIfExists(whole);
            }
        }
    }

    private static String unnamed() {
        return ".berth-safe-gpu-" + UUID.randomUUID();
    }

    private static Trust trust(FileStatus directory) {
        if (!directory.isSoundFor(new UnixSystem().getUid())) {
            return Trust.OTHERS;
        }
        return directory.isWritableByOthers() ? Trust.SHARED : Trust.OURS;
    }

    /**
     * The lock file, as it is used by everybody.
     *
     * @throws AccessDeniedException where what is there is not sound, or may not be made there
     */
    FileHandle file() throws IOException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Optional<FileHandle> there = entry();
            if (there.isPresent()) {
                return sound(there.get());
            }
            if (trust == Trust.OTHERS) {
                throw new AccessDeniedException(path.resolve(name)
                        + " is not there, and its directory is another user's: nothing is made in it");
            }
            makeFile(directory, name);
        }
        throw new IOException(path.resolve(name) + " goes away again and again");
    }

    private Optional<FileHandle> entry() throws IOException {
        try {
            return Optional.of(directory.child(name));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * Where others make names, one can be a second name of any file (link(2)): then only a file that everybody may
     * write anyway is used, as safe-gpu's are.
     */
    private FileHandle sound(FileHandle file) throws IOException {
        try {
            FileStatus status = file.status();
            if (!status.isRegular()) {
                throw new AccessDeniedException(path.resolve(name) + " is not a regular file");
            }
            if (trust != Trust.OURS && !status.isEverybodys()) {
                throw new AccessDeniedException(
                        path.resolve(name) + " is not everybody's to read and write, as safe-gpu makes it");
            }
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Under another name first: it is to be everybody's from the moment on at which it can be found. */
    private static void makeFile(FileHandle directory, String name) throws IOException {
        String whole = unnamed();
        Path temporary = directory.path().resolve(whole);
        // O_CREAT|O_EXCL, which follows no link.
        Path _ = Files.createFile(temporary);
        try (FileHandle made = directory.child(whole)) {
            made.permit(PosixFilePermissions.fromString(EVERYBODYS_FILE));
            made.linkInto(directory, name);
        } catch (FileAlreadyExistsException e) {
            // Another process was first.
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    @Override
    public void close() {
        directory.close();
    }
}
