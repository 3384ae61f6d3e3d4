package dev.berth.cli.snapshot;

import java.nio.file.Path;

/** One thing in a snapshot. */
public sealed interface SnapshotEntry {
    /** Its path below the directory, with slashes. */
    String name();

    record Directory(String name, int mode) implements SnapshotEntry {}

    /** A regular file as it was when the directory was read. */
    record RegularFile(String name, int mode, Path path, FileStamp stamp) implements SnapshotEntry {
        long size() {
            return stamp.size();
        }
    }

    record SymbolicLink(String name, String target) implements SnapshotEntry {}
}
