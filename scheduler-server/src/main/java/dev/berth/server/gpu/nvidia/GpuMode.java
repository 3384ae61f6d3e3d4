package dev.berth.server.gpu.nvidia;

import java.util.Locale;

/** By which of the engine's ways jobs come to their GPUs. */
public enum GpuMode {
    /** Whichever of the others this machine has, told at the server's start. */
    AUTO,
    /** The runtime {@code nvidia} of the NVIDIA Container Toolkit, and its variable. */
    RUNTIME,
    /** The engine's device requests ({@code docker run --gpus}), served by the toolkit's hook. */
    DEVICE_REQUEST,
    /** The Container Device Interface: devices as a specification on this machine describes them. */
    CDI;

    /** As the configuration has it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
