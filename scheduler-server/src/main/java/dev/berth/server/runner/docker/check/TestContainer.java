package dev.berth.server.runner.docker.check;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.GpuAccess;
import java.util.List;
import java.util.Map;

/** The plan of a container that tells whether the engine, or a GPU, is well: nothing in it is any submitter's. */
public final class TestContainer {
    private static final Submitter NOBODY = new Submitter(65_534, 65_534, List.of(), "nobody");

    /** The command that looks: NVIDIA's tool; an image or a way may lack that, and then the nodes. */
    private static final List<String> LOOK = List.of(
            "sh", "-c", "nvidia-smi -L 2>&1 && exit 0; for node in /dev/nvidia[0-9]*; do echo \"node $node\"; done");

    private static final ContainerPlan.Limits LIMITS =
            new ContainerPlan.Limits(0, 0, List.of(), 0, 64L << 20, 256, 1L << 20);

    private TestContainer() {}

    /**
     * The plan of a container that says which GPUs it sees.
     *
     * @param imageId the image of jobs that name none
     * @param label by which it is found again
     */
    public static ContainerPlan plan(String name, String imageId, GpuAccess access, String network, String label) {
        return new ContainerPlan(
                name,
                imageId,
                LOOK,
                NOBODY,
                Map.of("NVIDIA_VISIBLE_DEVICES", access.visibleDevices()),
                List.of("CUDA_VISIBLE_DEVICES"),
                access,
                List.of(),
                "/",
                network,
                LIMITS,
                Map.of(label, "true"));
    }
}
