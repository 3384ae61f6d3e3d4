package dev.berth.cli.snapshot;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.snapshot.DirectoryEntry.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;

/** Reads a file from end to end and notices if it changed since the directory was read. For one thread. */
final class CheckedFile {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final byte[] buffer = new byte[BUFFER_BYTES];

    /** The receiver of the bytes. An {@link IOException} here is the taker's, never the file's. */
    interface Taker {
        void take(byte[] bytes, int count) throws IOException;
    }

    /** Hands over all bytes; a file that is no longer as it was is a {@link Failure}. */
    void read(RegularFile file, Taker taker) throws IOException {
        requireSame(file);
        long left = file.size();
        try (InputStream in = open(file)) {
            for (int count = read(file, in); count >= 0; count = read(file, in)) {
                left -= count;
                if (left < 0) {
                    throw changed(file, "it has grown");
                }
                taker.take(buffer, count);
            }
        }
        if (left > 0) {
            throw changed(file, "it has shrunk");
        }
        requireSame(file);
    }

    private static void requireSame(RegularFile file) {
        FileStamp now;
        try {
            now = FileStamp.of(file.path());
        } catch (IOException gone) {
            throw changed(file, "it is gone");
        }
        if (!now.equals(file.stamp())) {
            throw changed(file, now.isFile() ? "it was written to or replaced" : "it is no file any more");
        }
    }

    private static InputStream open(RegularFile file) {
        try {
            return Files.newInputStream(file.path(), LinkOption.NOFOLLOW_LINKS);
        } catch (AccessDeniedException denied) {
            throw Failure.usage(file.path() + " cannot be read (permission denied); make it readable, or leave it out"
                    + " by a line in .berthignore");
        } catch (IOException gone) {
            throw changed(file, "it cannot be read: " + gone);
        }
    }

    private int read(RegularFile file, InputStream in) {
        try {
            return in.read(buffer);
        } catch (IOException broken) {
            throw changed(file, "it cannot be read: " + broken);
        }
    }

    static Failure changed(RegularFile file, String how) {
        return Failure.usage(file.path() + " changed while it was being read (" + how
                + "); nothing was submitted, try again when it rests");
    }
}
