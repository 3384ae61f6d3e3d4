package dev.berth.core.api;

/**
 * The answer to {@code POST /api/v1/snapshots}.
 *
 * @param snapshot the digest under which the directory is kept, 64 hexadecimal digits of SHA-256
 * @param files how many regular files it holds
 * @param bytes how many bytes they have
 */
public record SnapshotView(String snapshot, long files, long bytes) {}
