package dev.berth.cli.snapshot;

import dev.berth.core.api.ManifestEntry;
import dev.berth.core.command.SentFiles;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files of a planned snapshot, as a command will find them. */
public record PlannedFiles(SnapshotPlan plan) implements SentFiles {
    private static final int RUN_BITS = 0111;

    @Override
    public @Nullable Kind kind(String path) {
        List<DirectoryEntry> entries = plan.entries();
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ManifestEntry.compare(entries.get(middle).name(), path) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        boolean isThere = low < entries.size() && entries.get(low).name().equals(path);
        return isThere ? kind(entries.get(low)) : null;
    }

    private static Kind kind(DirectoryEntry entry) {
        return switch (entry) {
            case DirectoryEntry.Directory _ -> Kind.DIRECTORY;
            case DirectoryEntry.SymbolicLink _ -> Kind.LINK;
            case DirectoryEntry.RegularFile file -> (file.mode() & RUN_BITS) == 0 ? Kind.FILE : Kind.PROGRAM;
        };
    }

    @Override
    public boolean isLeftOut(String path) {
        return plan.skipped().stream().anyMatch(skipped -> path.equals(skipped) || path.startsWith(skipped + "/"));
    }

    @Override
    public List<String> names() {
        return plan.entries().stream()
                .filter(DirectoryEntry.RegularFile.class::isInstance)
                .map(DirectoryEntry::name)
                .toList();
    }
}
