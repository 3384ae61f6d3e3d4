package dev.berth.server.runner.docker;

import dev.berth.core.job.GpuShare;
import dev.berth.server.runner.docker.ContainerPlan.Mount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * NVIDIA's Multi-Process Service, whose daemon on this machine holds those who share a GPU to their part (docs.nvidia.com,
 * "Multi-Process Service", CUDA_MPS_ACTIVE_THREAD_PERCENTAGE and CUDA_MPS_PINNED_DEVICE_MEM_LIMIT).
 *
 * @param pipes where the daemon's pipes are
 */
public record Mps(Path pipes) {
    /** Where programs look for the daemon, if nobody says otherwise. */
    private static final String PIPES = "/tmp/nvidia-mps";

    private static final String PIPE_DIRECTORY = "CUDA_MPS_PIPE_DIRECTORY";
    private static final String THREADS = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
    private static final String MEMORY = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";

    /** What only Berth sets: by any of them a job could take more than its part. */
    static final Set<String> VARIABLES = Set.of(PIPE_DIRECTORY, THREADS, MEMORY, "CUDA_MPS_CLIENT_PRIORITY");

    private static final int MILLI_A_PERCENT = 10;
    private static final int WHOLE = 1_000;

    /** Where the daemon takes commands. */
    public Path control() {
        return pipes.resolve("control");
    }

    /** Whether a daemon has been here; asked for each launch, as one may be started and ended at any time. */
    public boolean isThere() {
        return Files.exists(control());
    }

    /** The daemon's pipes in the container. */
    Mount mount() {
        return new Mount(pipes, PIPES, false);
    }

    /**
     * What tells CUDA of the part.
     *
     * @param memoryMiB the whole GPU's memory, 0 where unknown
     */
    Map<String, String> environment(GpuShare share, long memoryMiB) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put(PIPE_DIRECTORY, PIPES);
        environment.put(THREADS, Integer.toString(Math.max(1, share.milli() / MILLI_A_PERCENT)));
        if (memoryMiB > 0) {
            // Inside, the one GPU of a share is number 0.
            environment.put(MEMORY, "0=" + Math.max(1, memoryMiB * share.milli() / WHOLE) + "M");
        }
        return environment;
    }
}
