package dev.berth.server.code;

import java.util.HashMap;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

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

    private enum Kind {
        FILE,
        DIRECTORY,
        LINK
    }

    private final Map<String, Kind> seen = new HashMap<>();
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
        Kind before = seen.put(path, kind);
        if (before != null && !(before == Kind.DIRECTORY && kind == Kind.DIRECTORY)) {
            throw SnapshotException.malformed("the archive holds '" + shown(path) + "' twice");
        }
        requireRealParents(path);
        count(entry, kind);
        if (kind == Kind.LINK) {
            requireInside(path, entry.getLinkName());
        }
        return path;
    }

    private static Kind kindOf(TarArchiveEntry entry, String path) throws SnapshotException {
        if (entry.isSymbolicLink()) {
            return Kind.LINK;
        }
        if (entry.isDirectory()) {
            return Kind.DIRECTORY;
        }
        if (entry.isFile() && !entry.isLink() && !entry.isSparse()) {
            return Kind.FILE;
        }
        throw SnapshotException.malformed(
                "'" + shown(path) + "' is neither a regular file, nor a directory, nor a symbolic link");
    }

    private void count(TarArchiveEntry entry, Kind kind) throws SnapshotException {
        if (seen.size() > MAX_ENTRIES) {
            throw SnapshotException.tooLarge("the archive holds more than " + MAX_ENTRIES + " files and directories");
        }
        if (kind == Kind.FILE) {
            files++;
            bytes += entry.getSize();
        }
        if (entry.getSize() < 0 || bytes > MAX_BYTES) {
            throw SnapshotException.tooLarge("the archive holds more than " + (MAX_BYTES >> 20) + " MiB");
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
        }
        return path;
    }

    /** No file may be reached through a link or another file. */
    private void requireRealParents(String path) throws SnapshotException {
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            Kind parent = seen.get(path.substring(0, slash));
            if (parent == Kind.LINK || parent == Kind.FILE) {
                throw SnapshotException.malformed("'" + shown(path) + "' lies below something that is no directory");
            }
        }
    }

    private static void requireInside(String path, String target) throws SnapshotException {
        int depth = (int) path.chars().filter(c -> c == '/').count();
        if (target.isEmpty() || target.startsWith("/") || target.length() > MAX_PATH) {
            throw SnapshotException.malformed(
                    "the link '" + shown(path) + "' leads out of the directory, to '" + shown(target) + "'");
        }
        for (String part : target.split("/", -1)) {
            depth += part.equals("..") ? -1 : part.isEmpty() || part.equals(".") ? 0 : 1;
            if (depth < 0) {
                throw SnapshotException.malformed(
                        "the link '" + shown(path) + "' leads out of the directory, to '" + shown(target) + "'");
            }
        }
    }

    /** A hostile name in a form that does no harm on a terminal. */
    private static String shown(String name) {
        String harmless = name.codePoints()
                .limit(200)
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return harmless.length() < name.length() ? harmless + "..." : harmless;
    }
}
