package dev.berth.violations.server.usage;

import dev.berth.violations.server.gpu.nvidia.NvidiaDriver;
import dev.berth.violations.server.gpu.nvidia.nvml.NvidiaLibrary;

/** What is said of all GPUs must not know who makes them. */
public final class KnowsTheVendor {
    public NvidiaDriver driver() {
        return new NvidiaDriver();
    }

    public NvidiaLibrary library() {
        return new NvidiaLibrary();
    }
}
