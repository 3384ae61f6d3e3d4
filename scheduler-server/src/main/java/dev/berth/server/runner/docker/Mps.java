package dev.berth.server.runner.docker;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.GpuShare;
import dev.berth.server.linux.FileStatus;
import dev.berth.server.runner.docker.ContainerPlan.Mount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * NVIDIA's Multi-Process Service, whose daemon on this machine holds those who share a GPU to their part (docs.nvidia.com,
 * "Multi-Process Service", CUDA_MPS_ACTIVE_THREAD_PERCENTAGE and CUDA_MPS_PINNED_DEVICE_MEM_LIMIT).
 *
 * @param pipes where the daemon's pipes are
 */
public record Mps(Path pipes) {
    /** The directory where programs look for the daemon, if nobody says otherwise. */
    private static final String PIPES = "/tmp/nvidia-mps";

    private static final String PIPE_DIRECTORY = "CUDA_MPS_PIPE_DIRECTORY";
    private static final String THREADS = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
    private static final String MEMORY = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";

    /** The variables that only Berth sets: by any of them a job could take more than its part. */
    static final Set<String> VARIABLES = Set.of(PIPE_DIRECTORY, THREADS, MEMORY, "CUDA_MPS_CLIENT_PRIORITY");

    /** The daemon makes its own directory everybody's. */
    private static final String WAY_OUT =
            "have root start the daemon with pipes in a directory below one that only root may enter (mode 0700)";

    private static final int MILLI_A_PERCENT = 10;
    private static final int WHOLE = 1_000;

    /** The place where the daemon takes commands. */
    public Path control() {
        return pipes.resolve("control");
    }

    /** Whether a daemon has been here; asked for each launch, as one may be started and ended at any time. */
    public boolean isThere() {
        return obstacle().isEmpty();
    }

    /**
     * The reason why there is no daemon to be had, with what to do. One whose pipes another user has made, or can
     * exchange, is none: jobs would speak to whatever that user has there, and the engine would mount whatever they put
     * in its place. Where nobody else can, the name is as good as a handle.
     */
    public Optional<String> obstacle() {
        try {
            long user = new UnixSystem().getUid();
            Path last = pipes.toAbsolutePath().normalize();
            boolean isOpen = FileStatus.of(last).isWritableByOthers();
            for (Path place = last; place != null; place = place.getParent()) {
                FileStatus there = FileStatus.of(place);
                if (!there.isDirectory()) {
                    return Optional.of(
                            place + " is no directory, and links on the way are not followed; set gpus.mps-pipe"
                                    + " to where the daemon's pipes are");
                }
                boolean isOwn = there.owner() == 0 || there.owner() == user;
                if (place.equals(last) ? !isOwn : !there.isSoundFor(user)) {
                    return Optional.of(place + " is another user's, or others may write to it; " + WAY_OUT);
                }
                isOpen &= place.equals(last) || there.isEnterableByOthers();
            }
            if (isOpen) {
                return Optional.of(last + ": others may write to it; " + WAY_OUT);
            }
            FileStatus control = FileStatus.of(control());
            return control.isLink() || (control.owner() != 0 && control.owner() != user)
                    ? Optional.of(control() + " is another user's, or a link; have root start the daemon")
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.of("no MPS control daemon listens at " + control() + "; run: CUDA_MPS_PIPE_DIRECTORY="
                    + pipes + " nvidia-cuda-mps-control -d");
        }
    }

    /** The daemon's pipes in the container. */
    Mount mount() {
        return new Mount(pipes, PIPES, false);
    }

    /**
     * The variables that tell CUDA of the part.
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
