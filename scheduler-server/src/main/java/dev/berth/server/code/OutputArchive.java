package dev.berth.server.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Packs what a job wrote as a tar archive. Its files are hostile, and may change while they are read: links are packed
 * and never followed, what is neither file, directory nor link is left out, a file that shrinks is filled up with zeros
 * and one that grows is cut. Lives on one thread for the length of one archive.
 */
public final class OutputArchive implements AutoCloseable {
    private static final int MAX_DEPTH = 128;
    private static final int BUFFER_BYTES = 1 << 16;

    /** A file that was swapped for a pipe would never open. */
    private static final long OPEN_SECONDS = 5;

    private final ExecutorService opening = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("output").factory());
    private final TarArchiveOutputStream tar;
    private final boolean atRest;
    private final byte[] buffer = new byte[BUFFER_BYTES];

    private OutputArchive(OutputStream out, boolean atRest) {
        this.atRest = atRest;
        tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
    }

    /** Whether there is a file, a directory or a link at that path below a directory; no link is followed to it. */
    public static boolean exists(Path directory, Path path) throws IOException {
        try (DirectoryStream<Path> top = Files.newDirectoryStream(directory)) {
            return within(secure(top), path, OutputArchive::attributes).isPresent();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Packs a directory, or what is at a path below it, to the end of an archive; the stream stays open.
     *
     * @param path relative and clean; empty for all
     * @param atRest whether nobody can change anything there any more; links are read by their path, so they are left
     *     out otherwise
     */
    public static void write(Path directory, Path path, boolean atRest, OutputStream out) throws IOException {
        try (DirectoryStream<Path> top = Files.newDirectoryStream(directory);
                OutputArchive archive = new OutputArchive(out, atRest)) {
            if (path.toString().isEmpty()) {
                archive.packAll(secure(top), directory, "", 0);
            } else {
                Path place = directory.resolve(path).getParent();
                within(secure(top), path, (parent, name) -> {
                    archive.pack(parent, place == null ? directory : place, name, "", 0);
                    return Optional.of(true);
                });
            }
            archive.tar.finish();
            archive.tar.flush();
        }
    }

    @FunctionalInterface
    private interface At<T> {
        Optional<T> of(SecureDirectoryStream<Path> parent, Path name) throws IOException;
    }

    private static <T> Optional<T> within(SecureDirectoryStream<Path> parent, Path path, At<T> at) throws IOException {
        if (path.getNameCount() == 1) {
            return at.of(parent, path);
        }
        try (SecureDirectoryStream<Path> inner =
                parent.newDirectoryStream(path.getName(0), LinkOption.NOFOLLOW_LINKS)) {
            return within(inner, path.subpath(1, path.getNameCount()), at);
        } catch (IOException e) {
            // A part of the path that is no directory, or goes meanwhile.
            return Optional.empty();
        }
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream) throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> directory) {
            return directory;
        }
        throw new IOException("this file system has no safe way to read a directory");
    }

    private void packAll(SecureDirectoryStream<Path> directory, Path place, String prefix, int depth)
            throws IOException {
        for (Path entry : directory) {
            pack(directory, place, entry.getFileName(), prefix, depth);
        }
    }

    private void pack(SecureDirectoryStream<Path> parent, Path place, Path name, String prefix, int depth)
            throws IOException {
        Optional<PosixFileAttributes> found = attributes(parent, name);
        if (found.isEmpty() || depth > MAX_DEPTH) {
            return;
        }
        PosixFileAttributes attributes = found.get();
        if (attributes.isDirectory()) {
            packDirectory(parent, place.resolve(name), prefix + name + "/", attributes, depth);
        } else if (attributes.isRegularFile()) {
            packFile(parent, name, prefix + name, attributes);
        } else if (attributes.isSymbolicLink()) {
            packLink(place.resolve(name), prefix + name, attributes);
        }
    }

    private void packDirectory(
            SecureDirectoryStream<Path> parent, Path place, String path, PosixFileAttributes attributes, int depth)
            throws IOException {
        begin(new TarArchiveEntry(path, TarConstants.LF_DIR), attributes, 0);
        tar.closeArchiveEntry();
        try (SecureDirectoryStream<Path> inner =
                parent.newDirectoryStream(place.getFileName(), LinkOption.NOFOLLOW_LINKS)) {
            packAll(inner, place, path, depth + 1);
        } catch (NoSuchFileException e) {
            // It went meanwhile.
        }
    }

    private void packFile(SecureDirectoryStream<Path> parent, Path name, String path, PosixFileAttributes attributes)
            throws IOException {
        try (SeekableByteChannel channel = open(parent, name);
                InputStream in = Channels.newInputStream(channel)) {
            long size = channel.size();
            begin(new TarArchiveEntry(path, TarConstants.LF_NORMAL), attributes, size);
            copy(in, size);
            tar.closeArchiveEntry();
        } catch (NoSuchFileException e) {
            // It went meanwhile.
        }
    }

    private void copy(InputStream in, long size) throws IOException {
        long left = size;
        while (left > 0) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                count = (int) Math.min(buffer.length, left);
                java.util.Arrays.fill(buffer, 0, count, (byte) 0);
            }
            tar.write(buffer, 0, count);
            left -= count;
        }
    }

    private SeekableByteChannel open(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        try {
            return opening.submit(() -> parent.newByteChannel(name, options)).get(OPEN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failed ? failed : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(name + " does not open", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void packLink(Path link, String path, PosixFileAttributes attributes) throws IOException {
        if (!atRest) {
            return;
        }
        TarArchiveEntry entry = new TarArchiveEntry(path, TarConstants.LF_SYMLINK);
        entry.setLinkName(Files.readSymbolicLink(link).toString());
        begin(entry, attributes, 0);
        tar.closeArchiveEntry();
    }

    private void begin(TarArchiveEntry entry, PosixFileAttributes attributes, long size) throws IOException {
        entry.setSize(size);
        entry.setMode(Modes.mode(attributes.permissions()));
        entry.setLastModifiedTime(attributes.lastModifiedTime());
        tar.putArchiveEntry(entry);
    }

    private static Optional<PosixFileAttributes> attributes(SecureDirectoryStream<Path> parent, Path name)
            throws IOException {
        try {
            return Optional.of(
                    parent.getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .readAttributes());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        opening.shutdownNow();
    }
}
