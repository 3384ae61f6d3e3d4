package dev.berth.server.linux;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/**
 * A system call that failed with an error for which Java has no exception of its own; the message names the call, what it
 * was about, and the kernel's error number.
 */
public final class SystemCallException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int error;

    private SystemCallException(String message, int error) {
        super(message);
        this.error = error;
    }

    /** The exception for an error of a call: the one by which Java's own file operations tell of it. */
    static IOException of(SystemCall call, int error, String subject) {
        String name = call.name().toLowerCase(Locale.ROOT) + "(2)";
        return switch (error) {
            // Nothing has a name that is longer than its file system takes.
            case ErrorNumber.ENOENT, ErrorNumber.ENAMETOOLONG -> new NoSuchFileException(subject, null, name);
            case ErrorNumber.EACCES, ErrorNumber.EPERM -> new AccessDeniedException(subject, null, name);
            case ErrorNumber.EEXIST -> new FileAlreadyExistsException(subject, null, name);
            case ErrorNumber.ENOTDIR -> new NotDirectoryException(subject);
            default -> new SystemCallException(name + " of " + subject + ": the kernel's error " + error, error);
        };
    }

    /** Number of {@link ErrorNumber}, or another of the kernel's. */
    public int error() {
        return error;
    }
}
