package dev.berth.server.code;

import dev.berth.core.command.SentFiles;
import dev.berth.server.code.CheckedEntry.Directory;
import dev.berth.server.code.CheckedEntry.RegularFile;
import dev.berth.server.code.CheckedEntry.SymbolicLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of a snapshot, as a command will find them. For one thread. */
final class ManifestFiles implements SentFiles {
    private static final int RUN_BITS = 0111;

    private final Map<String, Kind> kinds = new HashMap<>();

    void add(CheckedEntry entry) {
        kinds.put(
                entry.path(),
                switch (entry) {
                    case Directory _ -> Kind.DIRECTORY;
                    case SymbolicLink _ -> Kind.LINK;
                    case RegularFile file -> (file.mode() & RUN_BITS) == 0 ? Kind.FILE : Kind.PROGRAM;
                });
    }

    @Override
    public @Nullable Kind kind(String path) {
        return kinds.get(path);
    }

    @Override
    public List<String> names() {
        List<String> names = new ArrayList<>();
        kinds.forEach((path, kind) -> {
            if (kind == Kind.FILE || kind == Kind.PROGRAM) {
                names.add(path);
            }
        });
        names.sort(null);
        return names;
    }
}
