package dev.berth.server.code;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The rules for a path in a manifest, and how a hostile one is shown. */
final class Names {
    static final int MAX_PATH = 4_096;
    private static final int MAX_DEPTH = 128;

    /** The longest name that Linux file systems take, in bytes. */
    private static final int MAX_NAME_BYTES = 255;

    private static final int SHOWN = 200;

    private Names() {}

    static void requireBelow(String path) throws SnapshotException {
        if (path.isEmpty() || path.length() > MAX_PATH) {
            throw SnapshotException.malformed(
                    "the path '" + shown(path) + "' must have 1 to " + MAX_PATH + " characters");
        }
        requireText(path, "path");
        String[] parts = path.split("/", -1);
        if (parts.length > MAX_DEPTH) {
            throw SnapshotException.malformed("'" + shown(path) + "' is nested more than " + MAX_DEPTH + " deep");
        }
        for (String part : parts) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                throw SnapshotException.malformed(
                        "'" + shown(path) + "' is no plain path below the directory, or leads out of it");
            }
            if (part.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
                throw SnapshotException.malformed(
                        "'" + shown(part) + "' is longer than the " + MAX_NAME_BYTES + " bytes a file's name may have");
            }
        }
        requireKnown(path);
    }

    /** Refuses a link's target that cannot be one. Where it leads is for {@link SnapshotLinks} to see. */
    static void requireTarget(String path, String target) throws SnapshotException {
        if (target.isEmpty() || target.length() > MAX_PATH || target.startsWith("/")) {
            throw SnapshotException.malformed("the link '" + shown(path)
                    + "' leads out of the directory, or nowhere, to '" + shown(target) + "'");
        }
        requireText(target, "link's target");
        requireKnown(target);
    }

    private static void requireText(String text, String what) throws SnapshotException {
        for (int at = 0; at < text.length(); at++) {
            char here = text.charAt(at);
            if (here == '\0') {
                throw SnapshotException.malformed("the " + what + " '" + shown(text) + "' holds a NUL");
            }
            if (Character.isHighSurrogate(here)
                    && at + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(at + 1))) {
                at++;
            } else if (Character.isSurrogate(here)) {
                throw SnapshotException.malformed(
                        "the " + what + " '" + shown(text) + "' holds half a character, which UTF-8 does not have");
            }
        }
    }

    /** In another locale than UTF-8, Java has no file of that name: better said now than when the job starts. */
    private static void requireKnown(String path) throws SnapshotException {
        try {
            Path known = Path.of(path);
            assert !known.isAbsolute();
        } catch (InvalidPathException e) {
            throw SnapshotException.malformed("this server's locale has no file name '" + shown(path)
                    + "'; who runs the server starts it with LC_ALL=C.UTF-8, or you rename the file");
        }
    }

    /** A hostile name in a form that does no harm on a terminal. */
    static String shown(String name) {
        String harmless = name.codePoints()
                .limit(SHOWN)
                .map(c -> isInvisible(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return harmless.length() < name.length() ? harmless + "..." : harmless;
    }

    static boolean isInvisible(int character) {
        int type = Character.getType(character);
        return Character.isISOControl(character)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }
}
