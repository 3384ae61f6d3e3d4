package dev.berth.server.code;

import dev.berth.core.api.ManifestEntry;
import dev.berth.core.text.Utf8;
import dev.berth.server.code.CheckedEntry.Directory;
import dev.berth.server.code.CheckedEntry.RegularFile;
import dev.berth.server.code.CheckedEntry.SymbolicLink;
import java.util.HashSet;
import java.util.Set;

/**
 * Rules for what may stand together in one manifest: sorted, nothing twice, everything below a directory that is named,
 * links that stay inside, and all within the limits. Lives on one thread for the length of one manifest.
 */
final class ManifestRules {
    /** All paths, and all targets of links, stay in memory while a manifest is checked. */
    private static final long MAX_TEXT = 16L << 20;

    private final UploadLimits limits;
    private final Set<String> directories = new HashSet<>();
    private final SnapshotLinks links = new SnapshotLinks();
    private String last = "";
    private long text;
    private long entries;
    private long files;
    private long bytes;

    ManifestRules(UploadLimits limits) {
        this.limits = limits;
    }

    long files() {
        return files;
    }

    long bytes() {
        return bytes;
    }

    /**
     * Takes the next entry in.
     *
     * @throws SnapshotException for anything that has no business in a snapshot
     */
    void accept(CheckedEntry entry) throws SnapshotException {
        String path = entry.path();
        Names.requireBelow(path);
        requireOrder(path);
        requireParent(path);
        text += Utf8.length(path);
        if (++entries > limits.entries()) {
            throw SnapshotException.tooLarge("it holds more than " + limits.entries() + " files and directories");
        }
        switch (entry) {
            case Directory directory -> directories.add(directory.path());
            case RegularFile file -> count(file);
            case SymbolicLink(String _, String target) -> {
                Names.requireTarget(path, target);
                text += Utf8.length(target);
                links.add(path, target);
            }
        }
        if (text > MAX_TEXT) {
            throw SnapshotException.tooLarge(
                    "its paths and the targets of its links have more than " + MAX_TEXT + " bytes in UTF-8 in all");
        }
    }

    /**
     * To be called behind the last entry.
     *
     * @throws SnapshotException naming a link that leads out
     */
    void finish() throws SnapshotException {
        links.requireInside();
    }

    private void requireOrder(String path) throws SnapshotException {
        int order = ManifestEntry.compare(last, path);
        if (order == 0) {
            throw SnapshotException.malformed("the manifest holds '" + Names.shown(path) + "' twice");
        }
        if (order > 0) {
            throw SnapshotException.malformed("the manifest is not sorted by the paths' bytes in UTF-8: '"
                    + Names.shown(path) + "' stands behind '" + Names.shown(last) + "'");
        }
        last = path;
    }

    /** No file is reached through a link or another file. */
    private void requireParent(String path) throws SnapshotException {
        int slash = path.lastIndexOf('/');
        if (slash >= 0 && !directories.contains(path.substring(0, slash))) {
            throw SnapshotException.malformed(
                    "'" + Names.shown(path) + "' lies below something that the manifest does not name as a directory");
        }
    }

    private void count(RegularFile file) throws SnapshotException {
        files++;
        if (file.size() > limits.bytes() - bytes) {
            throw SnapshotException.tooLarge("its files have more than " + UploadLimits.inWords(limits.bytes()));
        }
        bytes += file.size();
    }
}
