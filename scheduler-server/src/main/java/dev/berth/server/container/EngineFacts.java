package dev.berth.server.container;

import java.util.Set;

/**
 * What a container engine says of itself and its machine.
 *
 * @param version the engine's name and version, for people
 * @param runtimes the names of the registered runtimes
 * @param memoryBytes the machine's memory
 */
public record EngineFacts(String version, Set<String> runtimes, long memoryBytes) {
    /** The runtime that the NVIDIA Container Toolkit registers. */
    public static final String NVIDIA_RUNTIME = "nvidia";

    public EngineFacts {
        runtimes = Set.copyOf(runtimes);
    }
}
