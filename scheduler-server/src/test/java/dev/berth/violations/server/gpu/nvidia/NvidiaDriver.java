package dev.berth.violations.server.gpu.nvidia;

import dev.berth.violations.server.gpu.nvidia.nvml.NvidiaLibrary;

/** Driver of a vendor, which may call its library. */
public final class NvidiaDriver {
    public NvidiaLibrary calls() {
        return new NvidiaLibrary();
    }
}
