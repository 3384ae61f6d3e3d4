package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * An entry of a {@link Manifest}. A component that its type does not have is left out of the JSON.
 *
 * @param path below the directory, with slashes; no {@code .}, {@code ..} or empty part
 * @param type {@code directory}, {@code file} or {@code link}
 * @param mode the permissions as three octal digits; not of a link
 * @param size of a file, in bytes
 * @param sha256 of a file's content, 64 hexadecimal digits in lower case
 * @param target of a link
 */
public record ManifestEntry(
        @Nullable String path,
        @Nullable String type,
        @Nullable String mode,
        @Nullable Long size,
        @Nullable String sha256,
        @Nullable String target) {
    public static final String DIRECTORY = "directory";
    public static final String FILE = "file";
    public static final String LINK = "link";

    private static final int BEYOND = 0x10000;

    /** The order of paths in a manifest: by their bytes in UTF-8, which is the order of code points. */
    public static int compare(String path, String other) {
        int shorter = Math.min(path.length(), other.length());
        for (int at = 0; at < shorter; at++) {
            char here = path.charAt(at);
            char there = other.charAt(at);
            if (here != there) {
                return rank(here) - rank(there);
            }
        }
        return path.length() - other.length();
    }

    /** Halves of characters beyond 16 bits stand before U+E000 as chars, and behind U+FFFF as characters. */
    private static int rank(char half) {
        return Character.isSurrogate(half) ? half + BEYOND : half;
    }
}
