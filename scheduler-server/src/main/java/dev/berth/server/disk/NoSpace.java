package dev.berth.server.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Whether a write failed because the disk, or a user's quota, is full. Java has no exception of its own for it. */
public final class NoSpace {
    /** The words of strerror(3) for ENOSPC and EDQUOT. */
    private static final List<String> SAID = List.of("No space left on device", "Disk quota exceeded");

    /** Less than this, and a write fails whatever the language is that the system says so in. */
    private static final long NOTHING_BYTES = 64 << 10;

    private NoSpace() {}

    /** Whether that is why something below the directory could not be written. */
    public static boolean isWhy(Throwable failed, Path directory) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (SAID.stream().anyMatch(message::contains)) {
                return true;
            }
        }
        return usable(directory) < NOTHING_BYTES;
    }

    /** The number of bytes that may still be written below a directory; as many as one likes where nobody knows. */
    public static long usable(Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }
}
