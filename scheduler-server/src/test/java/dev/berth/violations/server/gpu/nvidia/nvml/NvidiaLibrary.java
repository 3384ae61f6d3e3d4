package dev.berth.violations.server.gpu.nvidia.nvml;

import dev.berth.violations.server.gpu.nvidia.NvidiaDriver;

/** Library of a vendor, which must not know the driver that calls it. */
public final class NvidiaLibrary {
    static NvidiaDriver calledBy() {
        return new NvidiaDriver();
    }
}
