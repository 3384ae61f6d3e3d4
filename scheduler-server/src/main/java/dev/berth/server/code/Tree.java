package dev.berth.server.code;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Deletes what a hostile user may be rearranging at the same time: by directory handles, never through a link. */
public final class Tree {
    /** Each level holds a file descriptor and a stretch of the stack; what lies deeper is first moved up. */
    private static final int MAX_DEPTH = 64;

    /** The depth below which files are not counted. */
    private static final int MAX_SIZED_DEPTH = 256;

    private static final String DEEP = ".deep-";
    private static final Pattern DEEP_NAME = Pattern.compile(Pattern.quote(DEEP) + "(\\d{1,9})");

    private final SecureDirectoryStream<Path> top;
    private long moved;

    private Tree(SecureDirectoryStream<Path> top) {
        this.top = top;
    }

    /**
     * Deletes {@code name} in {@code parent}, which is the server's own, and all below it; no matter if there is none.
     */
    public static void delete(Path parent, String name) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(parent)) {
            if (!(stream instanceof SecureDirectoryStream<Path> directory)) {
                throw new IOException("this file system has no safe way to delete " + parent.resolve(name));
            }
            new Tree(directory).deleteAll(Path.of(name));
        } catch (NoSuchFileException e) {
            // Nothing there is what was wanted.
        }
    }

    /**
     * The bytes of all regular files below a directory; links are not followed, and what goes meanwhile counts
     * nothing.
     */
    static long size(Path directory) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            return stream instanceof SecureDirectoryStream<Path> top ? size(top, 0) : 0;
        } catch (NoSuchFileException | NotDirectoryException e) {
            return 0;
        }
    }

    private static long size(SecureDirectoryStream<Path> directory, int depth) throws IOException {
        long bytes = 0;
        for (Path entry : directory) {
            Path name = entry.getFileName();
            try {
                BasicFileAttributes attributes = directory
                        .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                        .readAttributes();
                if (attributes.isRegularFile()) {
                    bytes += attributes.size();
                } else if (attributes.isDirectory() && depth < MAX_SIZED_DEPTH) {
                    try (SecureDirectoryStream<Path> inner =
                            directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                        bytes += size(inner, depth + 1);
                    }
                }
            } catch (IOException e) {
                // It went meanwhile, or is a link now.
            }
        }
        return bytes;
    }

    private void deleteAll(Path name) throws IOException {
        for (Path entry : top) {
            Matcher left = DEEP_NAME.matcher(entry.getFileName().toString());
            if (left.matches()) {
                // A server that ended in the middle of this left it.
                moved = Math.max(moved, Long.parseLong(left.group(1)) + 1);
            }
        }
        delete(top, name, 0);
        for (long done = 0; done < moved; done++) {
            delete(top, Path.of(DEEP + done), 0);
        }
    }

    private void delete(SecureDirectoryStream<Path> parent, Path name, int depth) throws IOException {
        try {
            boolean isDirectory = parent.getFileAttributeView(
                            name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isDirectory();
            if (!isDirectory) {
                parent.deleteFile(name);
                return;
            }
            if (depth >= MAX_DEPTH) {
                parent.move(name, top, Path.of(DEEP + moved));
                moved++;
                return;
            }
            try (SecureDirectoryStream<Path> inner = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                // Programs make directories that not even their owner may write to, and Berth may be that owner.
                inner.getFileAttributeView(PosixFileAttributeView.class)
                        .setPermissions(PosixFilePermissions.fromString("rwx------"));
                for (Path entry : inner) {
                    delete(inner, entry.getFileName(), depth + 1);
                }
            }
            parent.deleteDirectory(name);
        } catch (NoSuchFileException | NotDirectoryException e) {
            // Another process removed or replaced it meanwhile; the caller looks at what is left.
        }
    }
}
