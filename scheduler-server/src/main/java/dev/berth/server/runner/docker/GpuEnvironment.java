package dev.berth.server.runner.docker;

import java.util.Set;

/**
 * The variables that decide which GPUs a container or a program sees. Berth sets them; a submitter may not (NVIDIA
 * Container Toolkit, "Specialized Configurations with Docker"; CUDA C++ Programming Guide, "CUDA Environment Variables").
 */
public final class GpuEnvironment {
    public static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";

    /** Variables of that family which change what a program does with its GPUs, not which it sees. */
    private static final Set<String> HARMLESS =
            Set.of("NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_DISABLE_REQUIRE", "NVIDIA_TF32_OVERRIDE");

    private GpuEnvironment() {}

    /** Whether a submitter may not set this variable. */
    public static boolean isReserved(String name) {
        return name.equals("CUDA_VISIBLE_DEVICES")
                || (name.startsWith("NVIDIA_") && !HARMLESS.contains(name) && !name.startsWith("NVIDIA_REQUIRE_"))
                || Mps.VARIABLES.contains(name)
                || name.startsWith("BERTH_");
    }
}
