package dev.berth.core.api;

import java.util.List;

/**
 * The answer to {@code POST /api/v1/snapshots} and {@code POST /api/v1/contents}.
 *
 * @param snapshot the name under which the directory is kept, 64 hexadecimal digits of SHA-256
 * @param files how many regular files it holds
 * @param bytes how many bytes they have
 * @param missing the digests of contents that the server lacks, not necessarily all; empty once the snapshot is on disk
 *     and jobs may name it
 */
public record SnapshotView(String snapshot, long files, long bytes, List<String> missing) {
    public SnapshotView {
        missing = List.copyOf(missing);
    }
}
