package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/snapshots}: what is in a directory. The SHA-256 of the bytes as they are sent is the snapshot's
 * name. The fields stand in this order; {@code git} may be left out.
 *
 * @param version {@link #VERSION}
 * @param git what git said of the directory; null where it lies in no work tree
 * @param entries sorted by {@link ManifestEntry#compare}, each directory before what is in it
 */
public record Manifest(int version, @Nullable GitView git, List<ManifestEntry> entries) {
    public static final int VERSION = 1;
}
