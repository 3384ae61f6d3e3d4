package dev.berth.server.code;

import dev.berth.server.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The contents that a manifest names and that are not there. Lives on one thread. */
final class Missing {
    /** Content whose size the manifest does not say: git's difference. */
    static final long ANY_SIZE = -1;

    private static final int PREFIX = 2;
    private static final int HEX = 16;

    private final Map<String, Long> missing = new LinkedHashMap<>();
    private final BitSet prefixes = new BitSet();

    void add(String digest, long size) {
        missing.putIfAbsent(digest, size);
    }

    void found(String digest) {
        prefixes.set(Integer.parseInt(digest.substring(0, PREFIX), HEX));
    }

    boolean isNone() {
        return missing.isEmpty();
    }

    /** The first of them with their sizes. */
    Map<String, Long> first(int limit) {
        Map<String, Long> first = new LinkedHashMap<>();
        for (Map.Entry<String, Long> entry : missing.entrySet()) {
            if (first.size() == limit) {
                break;
            }
            first.put(entry.getKey(), entry.getValue());
        }
        return first;
    }

    /** The digests of the first of them. */
    List<String> digests(int limit) {
        return missing.keySet().stream().limit(limit).toList();
    }

    /** The bytes that they will take on the disk. */
    long onDisk() {
        return missing.values().stream()
                .mapToLong(size -> UserSnapshots.onDisk(size == ANY_SIZE ? GitState.MAX_DIFF_BYTES : size))
                .sum();
    }

    /** Forces the names of what was found to disk: another upload may have moved it there a moment ago. */
    void forceFound(Path contents) throws IOException {
        DurableFiles.forceDirectory(contents);
        for (int prefix = prefixes.nextSetBit(0); prefix >= 0; prefix = prefixes.nextSetBit(prefix + 1)) {
            DurableFiles.forceDirectory(contents.resolve("%02x".formatted(prefix)));
        }
    }
}
