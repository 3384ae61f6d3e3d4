package dev.berth.cli.snapshot;

import java.nio.file.Path;

/** An entry of a directory that is submitted. */
public sealed interface DirectoryEntry {
    /** The path below the directory, with slashes. */
    String name();

    record Directory(String name, int mode) implements DirectoryEntry {}

    /** A regular file as it was when the directory was read. */
    record RegularFile(String name, int mode, Path path, FileStamp stamp) implements DirectoryEntry {
        long size() {
            return stamp.size();
        }
    }

    record SymbolicLink(String name, String target) implements DirectoryEntry {}
}
