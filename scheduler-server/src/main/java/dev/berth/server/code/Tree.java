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

/** Deletes what a hostile user may be rearranging at the same time: by directory handles, never through a link. */
final class Tree {
    private Tree() {}

    /** Deletes {@code name} in {@code parent} and all below it; does nothing where there is none. */
    static void delete(Path parent, String name) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(parent)) {
            if (!(stream instanceof SecureDirectoryStream<Path> directory)) {
                throw new IOException("this file system has no safe way to delete " + parent.resolve(name));
            }
            delete(directory, Path.of(name));
        } catch (NoSuchFileException e) {
            // Nothing there is what was wanted.
        }
    }

    private static void delete(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        try {
            boolean isDirectory = parent.getFileAttributeView(
                            name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isDirectory();
            if (!isDirectory) {
                parent.deleteFile(name);
                return;
            }
            try (SecureDirectoryStream<Path> inner = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                for (Path entry : inner) {
                    delete(inner, entry.getFileName());
                }
            }
            parent.deleteDirectory(name);
        } catch (NoSuchFileException | NotDirectoryException e) {
            // Somebody else removed or replaced it meanwhile; the caller looks at what is left.
        }
    }
}
