package dev.berth.server.code;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/**
 * What may stand in an uploaded archive: regular files, directories, and symbolic links that stay inside. Keeps count
 * against the limits. Lives on one thread for the length of one archive.
 */
final class SnapshotEntries {
    /** The unpacked size of a snapshot, in bytes. */
    static final long MAX_BYTES = 1L << 30;

    static final int MAX_ENTRIES = 100_000;
    private static final int MAX_PATH = 4_096;
    private static final int MAX_DEPTH = 128;

    /** What Linux file systems take as one name, in bytes. */
    private static final int MAX_NAME_BYTES = 255;

    /** All paths together stay in memory while an archive is read. */
    private static final long MAX_PATH_CHARS = 32L << 20;

    private enum Kind {
        FILE,
        DIRECTORY,
        LINK
    }

    private final Map<String, Kind> seen = new HashMap<>();
    private final SnapshotLinks links = new SnapshotLinks();
    private long pathChars;
    private long files;
    private long bytes;

    long files() {
        return files;
    }

    long bytes() {
        return bytes;
    }

    /**
     * The entry's path, relative and clean.
     *
     * @throws SnapshotException for anything that has no business in a snapshot
     */
    String accept(TarArchiveEntry entry) throws SnapshotException {
        String path = cleaned(entry.getName());
        Kind kind = kindOf(entry, path);
        Kind before = see(path, kind);
        if (before != null && !(before == Kind.DIRECTORY && kind == Kind.DIRECTORY)) {
            throw SnapshotException.malformed("the archive holds '" + shown(path) + "' twice");
        }
        seeParents(path);
        count(entry, kind);
        if (kind == Kind.LINK) {
            links.add(path, target(path, entry.getLinkName()));
        }
        return path;
    }

    /**
     * To be called behind the last entry.
     *
     * @throws SnapshotException naming a link that leads out
     */
    void finish() throws SnapshotException {
        links.requireInside();
    }

    private @Nullable Kind see(String path, Kind kind) {
        Kind before = seen.put(path, kind);
        pathChars += before == null ? path.length() : 0;
        return before;
    }

    private static Kind kindOf(TarArchiveEntry entry, String path) throws SnapshotException {
        if (!entry.isCheckSumOK()) {
            throw SnapshotException.malformed("the upload is not a whole tar archive: a header's checksum is wrong");
        }
        // By the flag itself: what the library calls a file includes devices.
        byte flag = entry.getLinkFlag();
        boolean isRegular =
                flag == TarConstants.LF_NORMAL || flag == TarConstants.LF_OLDNORM || flag == TarConstants.LF_CONTIG;
        if (flag == TarConstants.LF_DIR || (isRegular && entry.isDirectory())) {
            return Kind.DIRECTORY;
        }
        if ((isRegular || flag == TarConstants.LF_SYMLINK) && !entry.isSparse() && !path.equals(".")) {
            return isRegular ? Kind.FILE : Kind.LINK;
        }
        throw SnapshotException.malformed(
                "'" + shown(path) + "' is neither a regular file, nor a directory, nor a symbolic link");
    }

    private void count(TarArchiveEntry entry, Kind kind) throws SnapshotException {
        if (seen.size() > MAX_ENTRIES) {
            throw SnapshotException.tooLarge("the archive holds more than " + MAX_ENTRIES + " files and directories");
        }
        if (pathChars > MAX_PATH_CHARS) {
            throw SnapshotException.tooLarge(
                    "the paths in the archive have more than " + MAX_PATH_CHARS + " characters in all");
        }
        if (entry.getSize() < 0 || entry.getSize() > MAX_BYTES - bytes) {
            throw SnapshotException.tooLarge("the archive holds more than " + (MAX_BYTES >> 20) + " MiB");
        }
        if (kind == Kind.FILE) {
            files++;
            bytes += entry.getSize();
        }
    }

    private static String cleaned(String name) throws SnapshotException {
        String path = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
        path = path.startsWith("./") ? path.substring(2) : path;
        if (path.equals(".") || path.isEmpty()) {
            return ".";
        }
        if (path.length() > MAX_PATH || path.indexOf('\0') >= 0) {
            throw SnapshotException.malformed("a path in the archive is too long or holds a NUL");
        }
        String[] parts = path.split("/", -1);
        if (parts.length > MAX_DEPTH) {
            throw SnapshotException.malformed("'" + shown(path) + "' is nested more than " + MAX_DEPTH + " deep");
        }
        for (String part : parts) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                throw SnapshotException.malformed("'" + shown(path) + "' leads out of the archive");
            }
            if (part.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
                throw SnapshotException.malformed(
                        "'" + shown(part) + "' is longer than the " + MAX_NAME_BYTES + " bytes a file's name may have");
            }
        }
        return path;
    }

    /** No file may be reached through a link or another file; a parent that was not named is a directory from now on. */
    private void seeParents(String path) throws SnapshotException {
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            String parent = path.substring(0, slash);
            if (seen.getOrDefault(parent, Kind.DIRECTORY) == Kind.DIRECTORY) {
                see(parent, Kind.DIRECTORY);
            } else {
                throw SnapshotException.malformed("'" + shown(path) + "' lies below something that is no directory");
            }
        }
    }

    private static String target(String path, String target) throws SnapshotException {
        boolean isPath = !target.isEmpty() && target.length() <= MAX_PATH && target.indexOf('\0') < 0;
        if (!isPath || target.startsWith("/")) {
            throw SnapshotException.malformed(
                    "the link '" + shown(path) + "' leads out of the directory, to '" + shown(target) + "'");
        }
        return target;
    }

    /** A hostile name in a form that does no harm on a terminal. */
    static String shown(String name) {
        String harmless = name.codePoints()
                .limit(200)
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return harmless.length() < name.length() ? harmless + "..." : harmless;
    }
}
