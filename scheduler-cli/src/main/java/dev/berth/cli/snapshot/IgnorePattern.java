package dev.berth.cli.snapshot;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A line of a {@code .berthignore}, by the rules of {@code gitignore(5)}.
 *
 * @param glob what it matches
 * @param brings whether it brings back what an earlier one leaves out
 * @param directoriesOnly whether it is for directories alone
 * @param isPath whether it is for the path below the file's directory, or for any name at any depth
 */
record IgnorePattern(Glob glob, boolean brings, boolean directoriesOnly, boolean isPath) {
    /** The pattern of a line without its end; null for an empty one and a comment. */
    static @Nullable IgnorePattern of(String line) {
        String text = line.startsWith("#") ? "" : withoutTrailingBlanks(line);
        boolean brings = text.startsWith("!");
        text = brings ? text.substring(1) : text;
        boolean directoriesOnly = text.endsWith("/");
        text = directoriesOnly ? text.substring(0, text.length() - 1) : text;
        if (text.isEmpty()) {
            return null;
        }
        boolean isPath = text.indexOf('/') >= 0;
        text = text.startsWith("/") ? text.substring(1) : text;
        Glob glob = Glob.of(text.getBytes(StandardCharsets.UTF_8), isPath);
        return new IgnorePattern(glob, brings, directoriesOnly, isPath);
    }

    /** Blanks at the end do not count, but for one that a backslash keeps. */
    private static String withoutTrailingBlanks(String line) {
        int end = line.length();
        while (end > 0 && line.charAt(end - 1) == ' ') {
            end--;
        }
        int backslashes = 0;
        while (backslashes < end && line.charAt(end - 1 - backslashes) == '\\') {
            backslashes++;
        }
        boolean isKept = backslashes % 2 == 1 && end < line.length();
        return line.substring(0, isKept ? end + 1 : end);
    }

    /**
     * Whether it speaks of an entry.
     *
     * @param path below the directory of the pattern's file
     * @param name the last part of the path
     */
    boolean matches(byte[] path, byte[] name, boolean isDirectory) {
        return (isDirectory || !directoriesOnly) && glob.matches(isPath ? path : name);
    }
}
