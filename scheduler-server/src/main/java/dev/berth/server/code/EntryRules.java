package dev.berth.server.code;

import dev.berth.core.api.ManifestEntry;
import dev.berth.server.code.CheckedEntry.Directory;
import dev.berth.server.code.CheckedEntry.RegularFile;
import dev.berth.server.code.CheckedEntry.SymbolicLink;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Rules for what an entry of a manifest must say of itself; how entries go together is for {@link ManifestRules}. */
final class EntryRules {
    private static final Pattern MODE = Pattern.compile("[0-7]{3}");
    private static final int OCTAL = 8;

    private EntryRules() {}

    static CheckedEntry checked(ManifestEntry entry) throws SnapshotException {
        String path = entry.path();
        String type = entry.type();
        if (path == null || type == null) {
            throw SnapshotException.malformed("the manifest must have entries with a path and a type");
        }
        return switch (type) {
            case ManifestEntry.DIRECTORY -> {
                requireOnly(entry, entry.size() == null && entry.sha256() == null && entry.target() == null);
                yield new Directory(path, mode(path, entry.mode()));
            }
            case ManifestEntry.FILE -> {
                requireOnly(entry, entry.target() == null);
                yield new RegularFile(
                        path, mode(path, entry.mode()), size(path, entry.size()), digest(path, entry.sha256()));
            }
            case ManifestEntry.LINK -> {
                String target = entry.target();
                requireOnly(
                        entry,
                        entry.size() == null && entry.sha256() == null && entry.mode() == null && target != null);
                yield new SymbolicLink(path, target == null ? "" : target);
            }
            default ->
                throw SnapshotException.malformed("'" + Names.shown(path) + "' is of type '" + Names.shown(type)
                        + "', but must be a file, a directory or a link");
        };
    }

    private static void requireOnly(ManifestEntry entry, boolean only) throws SnapshotException {
        if (!only) {
            throw SnapshotException.malformed("'" + Names.shown(String.valueOf(entry.path()))
                    + "' has other fields than its type: a directory has a mode, a file a mode, a size and a sha256, a"
                    + " link a target");
        }
    }

    private static int mode(String path, @Nullable String mode) throws SnapshotException {
        if (mode == null || !MODE.matcher(mode).matches()) {
            throw SnapshotException.malformed("'" + Names.shown(path) + "' has the mode '"
                    + Names.shown(String.valueOf(mode)) + "', which must be three octal digits such as 644");
        }
        return Integer.parseInt(mode, OCTAL);
    }

    private static long size(String path, @Nullable Long size) throws SnapshotException {
        if (size == null || size < 0) {
            throw SnapshotException.malformed(
                    "'" + Names.shown(path) + "' has the size " + size + ", which must be a whole number from 0");
        }
        return size;
    }

    private static String digest(String path, @Nullable String digest) throws SnapshotException {
        if (digest == null || !Digests.isDigest(digest)) {
            throw SnapshotException.malformed("'" + Names.shown(path) + "' has the sha256 '"
                    + Names.shown(String.valueOf(digest)) + "', which must be 64 hexadecimal digits in lower case");
        }
        return digest;
    }
}
