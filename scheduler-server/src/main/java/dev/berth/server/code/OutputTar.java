package dev.berth.server.code;

import dev.berth.server.linux.FileHandle;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Packs what a job wrote as a tar archive. Its files are hostile, and may change while they are read: each is held by a
 * handle from the look at it on, links are packed and never followed, what is neither file, directory nor link is left
 * out, a file that shrinks is filled up with zeros and one that grows is cut. What the thread may not read is left out and
 * named in a last member. For one archive, on one thread at a time.
 */
public final class OutputTar {
    /** The last member where something is not in the archive; it says what. */
    static final String LEFT_OUT_FILE = "BERTH-LEFT-OUT.txt";

    /** The record of that member that names the same, by which it is told from a job's own file (pax, VENDOR.keyword). */
    static final String LEFT_OUT = "BERTH.leftout";

    private static final int MAX_DEPTH = 128;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int NAMED = 3;

    private final TarArchiveOutputStream tar;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final List<String> leftOut = new ArrayList<>();
    private long leftOutCount;

    /** Makes an archive that is written to a stream, which stays open. */
    public OutputTar(OutputStream out) {
        tar = stream(out);
    }

    /** A stream of an archive with names and sizes of any length. */
    static TarArchiveOutputStream stream(OutputStream out) {
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
        return tar;
    }

    /** Loads all that packing takes, by packing to nowhere one name that is not ASCII. */
    static void load() throws IOException {
        OutputTar archive = new OutputTar(OutputStream.nullOutputStream());
        archive.leaveOut("\u00e4");
        archive.nameLeftOut();
        archive.tar.finish();
    }

    /** Whether there is a file, a directory or a link at that path below a directory; no link is followed to it. */
    public static boolean exists(FileHandle directory, Path path) throws IOException {
        if (isAll(path)) {
            return true;
        }
        return within(directory, path, (parent, name) -> {
                    Optional<FileHandle> found = find(parent, name);
                    found.ifPresent(FileHandle::close);
                    return found.isPresent();
                })
                .orElse(false);
    }

    /**
     * Packs a directory, or what is at a path below it, to the end of the archive.
     *
     * @param path relative and clean; empty for all
     */
    public void write(FileHandle directory, Path path) throws IOException {
        if (isAll(path)) {
            packAll(directory, "", 0);
        } else {
            Optional<Boolean> _ = within(directory, path, (parent, name) -> {
                pack(parent, name, "", 0);
                return true;
            });
        }
        nameLeftOut();
        tar.finish();
        tar.flush();
    }

    private static boolean isAll(Path path) {
        return path.toString().isEmpty();
    }

    /** Does something with the last name of a path. */
    @FunctionalInterface
    interface At<T> {
        T of(FileHandle parent, Path name) throws IOException;
    }

    /**
     * Empty where the path leads through what is no directory, is not there, or may not be entered. No more than two
     * directories are held on the way.
     */
    static <T> Optional<T> within(FileHandle root, Path path, At<T> at) throws IOException {
        FileHandle parent = root;
        try {
            for (int i = 0; i < path.getNameCount() - 1; i++) {
                Optional<FileHandle> inner = find(parent, path.getName(i));
                if (inner.isEmpty()) {
                    return Optional.empty();
                }
                if (parent != root) {
                    parent.close();
                }
                parent = inner.get();
            }
            return Optional.of(at.of(parent, path.getName(path.getNameCount() - 1)));
        } finally {
            if (parent != root) {
                parent.close();
            }
        }
    }

    private static Optional<FileHandle> find(FileHandle parent, Path name) throws IOException {
        try {
            return Optional.of(parent.child(name));
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException e) {
            return Optional.empty();
        }
    }

    private void packAll(FileHandle directory, String prefix, int depth) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory.path())) {
            for (Path entry : entries) {
                pack(directory, entry.getFileName(), prefix, depth);
            }
        } catch (AccessDeniedException e) {
            leaveOut(prefix);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private void pack(FileHandle parent, Path name, String prefix, int depth) throws IOException {
        String path = prefix + name;
        if (depth > MAX_DEPTH) {
            leaveOut(path);
            return;
        }
        try (FileHandle file = parent.child(name)) {
            pack(parent, file, name, path, depth);
        } catch (AccessDeniedException e) {
            leaveOut(path);
        } catch (NoSuchFileException | NotDirectoryException e) {
            // It went meanwhile.
        }
    }

    private void pack(FileHandle parent, FileHandle file, Path name, String path, int depth) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(file.path(), PosixFileAttributes.class);
        if (attributes.isDirectory()) {
            begin(new TarArchiveEntry(path + "/", TarConstants.LF_DIR), attributes, 0);
            tar.closeArchiveEntry();
            packAll(file, path + "/", depth + 1);
        } else if (attributes.isRegularFile()) {
            packFile(file, path, attributes);
        } else if (attributes.isSymbolicLink()) {
            packLink(parent, name, path, attributes);
        }
    }

    private void packFile(FileHandle file, String path, PosixFileAttributes attributes) throws IOException {
        try (FileChannel channel = file.open(StandardOpenOption.READ);
                InputStream in = Channels.newInputStream(channel)) {
            long size = channel.size();
            begin(new TarArchiveEntry(path, TarConstants.LF_NORMAL), attributes, size);
            copy(in, size);
            tar.closeArchiveEntry();
        } catch (AccessDeniedException e) {
            leaveOut(path);
        }
    }

    private void copy(InputStream in, long size) throws IOException {
        long left = size;
        while (left > 0) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                count = (int) Math.min(buffer.length, left);
                Arrays.fill(buffer, 0, count, (byte) 0);
            }
            tar.write(buffer, 0, count);
            left -= count;
        }
    }

    private void packLink(FileHandle parent, Path name, String path, PosixFileAttributes attributes)
            throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(path, TarConstants.LF_SYMLINK);
        try {
            entry.setLinkName(
                    Files.readSymbolicLink(parent.path().resolve(name)).toString());
        } catch (NotLinkException e) {
            // It is something else meanwhile.
            return;
        }
        begin(entry, attributes, 0);
        tar.closeArchiveEntry();
    }

    private void begin(TarArchiveEntry entry, PosixFileAttributes attributes, long size) throws IOException {
        entry.setSize(size);
        entry.setMode(Modes.mode(attributes.permissions()));
        entry.setLastModifiedTime(attributes.lastModifiedTime());
        tar.putArchiveEntry(entry);
    }

    private void leaveOut(String path) {
        leftOutCount++;
        if (leftOut.size() < NAMED) {
            leftOut.add(Names.shown(path));
        }
    }

    private void nameLeftOut() throws IOException {
        if (leftOutCount == 0) {
            return;
        }
        long more = leftOutCount - leftOut.size();
        String names = String.join(", ", leftOut) + (more == 0 ? "" : " and " + more + " more");
        byte[] text = ("The job's owner may not read these, so they are not in this archive: " + names + "\n")
                .getBytes(StandardCharsets.UTF_8);
        TarArchiveEntry entry = new TarArchiveEntry(LEFT_OUT_FILE, TarConstants.LF_NORMAL);
        entry.addPaxHeader(LEFT_OUT, names);
        entry.setSize(text.length);
        tar.putArchiveEntry(entry);
        tar.write(text);
        tar.closeArchiveEntry();
    }
}
