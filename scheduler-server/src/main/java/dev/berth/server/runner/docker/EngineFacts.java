package dev.berth.server.runner.docker;

import java.nio.file.Path;
import java.util.Set;

/**
 * The facts that a container engine tells of itself and its machine.
 *
 * @param version the engine's name and version, for people
 * @param runtimes the names of the registered runtimes
 * @param memoryBytes the machine's memory, 0 where the engine does not say
 * @param cpus how many CPUs the machine has, 0 where the engine does not say
 * @param directory where the engine keeps its own files
 * @param socket where it listens; a usual place where it is not on this machine
 */
public record EngineFacts(
        String version,
        Set<String> runtimes,
        long memoryBytes,
        int cpus,
        Path directory,
        Path socket,
        EngineSetup setup) {
    /** The runtime that the NVIDIA Container Toolkit registers. */
    public static final String NVIDIA_RUNTIME = "nvidia";

    public EngineFacts {
        runtimes = Set.copyOf(runtimes);
    }

    /** The facts of an engine that does not say how it is set up. */
    public EngineFacts(String version, Set<String> runtimes, long memoryBytes, int cpus, Path directory, Path socket) {
        this(version, runtimes, memoryBytes, cpus, directory, socket, EngineSetup.UNKNOWN);
    }

    EngineFacts with(EngineSetup other) {
        return new EngineFacts(version, runtimes, memoryBytes, cpus, directory, socket, other);
    }
}
