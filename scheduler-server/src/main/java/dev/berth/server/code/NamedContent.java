package dev.berth.server.code;

import dev.berth.server.code.CheckedEntry.RegularFile;
import dev.berth.server.code.ManifestReader.Visitor;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A content that a manifest names.
 *
 * @param size that the manifest gives it, or {@link Missing#ANY_SIZE}
 */
record NamedContent(String digest, long size) {
    /** All contents of a manifest, in its order; each entry is shown to {@code first} before it counts. */
    static List<NamedContent> of(Path manifest, Visitor first) throws IOException, SnapshotException {
        List<NamedContent> named = new ArrayList<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(manifest));
                ManifestReader reader = ManifestReader.open(in)) {
            Optional<String> diff = reader.git().flatMap(GitState::diffDigest);
            reader.entries(entry -> {
                first.see(entry);
                if (entry instanceof RegularFile file) {
                    named.add(new NamedContent(file.digest(), file.size()));
                }
            });
            diff.ifPresent(digest -> named.add(new NamedContent(digest, Missing.ANY_SIZE)));
        }
        return named;
    }
}
