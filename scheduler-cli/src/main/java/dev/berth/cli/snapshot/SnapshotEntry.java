package dev.berth.cli.snapshot;

import java.nio.file.Path;

/** One thing in a snapshot. */
public sealed interface SnapshotEntry {
    /** Its path below the directory, with slashes. */
    String name();

    int mode();

    record Directory(String name, int mode) implements SnapshotEntry {}

    /**
     * A regular file as it was when the directory was read.
     *
     * @param modifiedSeconds since 1970
     */
    record RegularFile(String name, int mode, Path path, long size, long modifiedSeconds) implements SnapshotEntry {}

    record SymbolicLink(String name, int mode, String target) implements SnapshotEntry {}
}
