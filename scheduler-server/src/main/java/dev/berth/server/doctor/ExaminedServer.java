package dev.berth.server.doctor;

import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.profile.Profiles;
import dev.berth.server.runner.docker.ContainerEngine;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Server whose machine is examined, or that would be started there.
 *
 * @param mode the way to GPUs that is wished for
 * @param image the image of a job that names none
 * @param dataDirectory where a server's files are, or would be
 * @param configuration the files that settings were read from
 * @param profiles those that jobs could name
 * @param simulated whether a server with these settings would allocate simulated GPUs
 * @param held the UUIDs of the GPUs that jobs have now
 * @param failing the background work of the server that does not succeed, a sentence each
 * @param notices how it tells others of jobs
 * @param inventory asks the driver
 * @param engine connects to the container engine
 */
public record ExaminedServer(
        GpuMode mode,
        String image,
        Path dataDirectory,
        List<Path> configuration,
        Profiles profiles,
        boolean simulated,
        Set<String> held,
        List<String> failing,
        NoticeWays notices,
        Supplier<GpuInventory> inventory,
        Supplier<ContainerEngine> engine) {
    public ExaminedServer {
        configuration = List.copyOf(configuration);
        held = Set.copyOf(held);
        failing = List.copyOf(failing);
    }
}
