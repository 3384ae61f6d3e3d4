package dev.berth.cli.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * The properties that change when a file does: two equal stamps, one before and one after it was read, and it was
 * whole.
 *
 * @param key device and inode: another file in its place has another one
 */
record FileStamp(
        boolean isFile,
        long size,
        FileTime modified,
        @Nullable Object key) {
    static FileStamp of(Path file) throws IOException {
        return of(Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    }

    static FileStamp of(BasicFileAttributes attributes) {
        return new FileStamp(
                attributes.isRegularFile(), attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
    }
}
