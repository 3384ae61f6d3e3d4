package dev.berth.cli.client;

import dev.berth.cli.exit.Failure;
import java.nio.file.Path;

/**
 * The directory that the command was called in. It may have been removed, or have a longer path than the kernel tells;
 * {@code bin/berth} then goes to {@code /}, in which Java starts, and says so. Whatever is relative is relative to nothing.
 */
public final class WorkingDirectory {
    private static final String PROPERTY = "berth.directory";
    private static final String LOST = "lost";

    /** Stands for it where paths are made absolute by others; Debian's word for a directory that is never there. */
    private static final Path NONE = Path.of("/nonexistent");

    private WorkingDirectory() {}

    /** Whether it cannot be used. */
    public static boolean isLost() {
        return LOST.equals(System.getProperty(PROPERTY));
    }

    /**
     * The path of the working directory.
     *
     * @param what needs it, for the refusal where it cannot be used
     */
    public static Path path(String what) {
        if (isLost()) {
            throw Failure.usage(
                    what + " needs the directory that the command is called in, and that one was removed, or"
                            + " has too long a path; go to another (cd), or name places from / on");
        }
        return Path.of("").toAbsolutePath();
    }

    /** The path of the working directory, or one where nothing is. */
    public static Path orNone() {
        return isLost() ? NONE : Path.of("").toAbsolutePath();
    }

    /**
     * A path that the user wrote, as it is; refused where it is relative to nothing.
     *
     * @param what says so, such as an option
     */
    public static String checked(String what, String text) {
        if (isLost() && !text.startsWith("/")) {
            Path _ = path(what + " '" + text + "'");
        }
        return text;
    }

    /**
     * The checked path as an absolute one.
     *
     * @throws java.nio.file.InvalidPathException where it is no path
     */
    public static Path absolute(String what, String text) {
        return Path.of(checked(what, text)).toAbsolutePath();
    }
}
