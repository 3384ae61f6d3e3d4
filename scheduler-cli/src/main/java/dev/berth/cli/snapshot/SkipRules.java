package dev.berth.cli.snapshot;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** What is left out of every snapshot. */
public final class SkipRules {
    /** The same in words, for the help. */
    public static final String IN_WORDS =
            ".git, __pycache__, node_modules, .berth, and .venv or venv where it is a Python environment";

    private SkipRules() {}

    static boolean skips(Path entry) {
        Path name = entry.getFileName();
        if (name == null) {
            return false;
        }
        return switch (name.toString()) {
            case ".git", "__pycache__", "node_modules", ".berth" -> true;
            case ".venv", "venv" -> Files.exists(entry.resolve("pyvenv.cfg"), LinkOption.NOFOLLOW_LINKS);
            default -> false;
        };
    }
}
