package dev.berth.server.gpu.occupy;

import java.nio.file.Path;

/** Names that the tests share with safe-gpu. */
final class LockFiles {
    private static final String NAME = "gpu-lock-magic-RaNdOM-This_Name-NEED_BE-THE_SAME-Across_Users";

    private LockFiles() {}

    static Path oldFile(Path root) {
        return root.resolve(NAME);
    }

    static Path newFile(Path root) {
        return root.resolve("safe_gpu").resolve(NAME);
    }
}
