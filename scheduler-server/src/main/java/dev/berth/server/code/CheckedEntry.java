package dev.berth.server.code;

/** File, directory or link of a snapshot, checked for itself. */
sealed interface CheckedEntry {
    /** The path below the directory, with slashes. */
    String path();

    record Directory(String path, int mode) implements CheckedEntry {}

    /**
     * A regular file.
     *
     * @param size in bytes
     * @param digest the SHA-256 of its content
     */
    record RegularFile(String path, int mode, long size, String digest) implements CheckedEntry {}

    record SymbolicLink(String path, String target) implements CheckedEntry {}
}
