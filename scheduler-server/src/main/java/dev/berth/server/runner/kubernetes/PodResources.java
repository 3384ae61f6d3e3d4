package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Resources;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The amounts that a pod asks for, and the empty places that it begins with. */
final class PodResources {
    static final String SHARED_MEMORY = "shared-memory";

    private static final int SMALL_CPU = 100;
    private static final long SMALL_MEMORY = 64L << 20;

    private PodResources() {}

    /**
     * GPUs are among the limits only, and whole: anything else is refused (kubernetes.io, "Schedule GPUs"). Where a limit stands
     * alone, the request is the same.
     */
    static ResourceRequirements of(Resources resources, Nodes nodes) {
        ResourceRequirements plain = withoutGpus(resources);
        return resources.gpus().isNone()
                ? plain
                : new ResourceRequirementsBuilder(plain)
                        .addToLimits(
                                nodes.gpuResource(),
                                new Quantity(Integer.toString(resources.gpus().count())))
                        .build();
    }

    /** CPUs and memory alone. */
    static ResourceRequirements withoutGpus(Resources resources) {
        Map<String, Quantity> limits = new HashMap<>();
        Map<String, Quantity> requests = new HashMap<>();
        put(limits, "cpu", milli(resources.cpuMilli()));
        put(limits, "memory", bytes(resources.memoryBytes()));
        put(requests, "cpu", milli(resources.bookedCpuMilli()));
        put(requests, "memory", bytes(resources.bookedMemoryBytes()));
        return new ResourceRequirementsBuilder()
                .withLimits(limits)
                .withRequests(requests)
                .build();
    }

    /** Next to nothing, of what a quota may want an amount of: of what is asked for the program. */
    static ResourceRequirements small(Resources resources) {
        Map<String, Quantity> amounts = new HashMap<>();
        put(amounts, "cpu", resources.cpuMilli() == null ? null : milli(SMALL_CPU));
        put(amounts, "memory", resources.memoryBytes() == null ? null : bytes(SMALL_MEMORY));
        return new ResourceRequirementsBuilder()
                .withLimits(amounts)
                .withRequests(amounts)
                .build();
    }

    private static void put(Map<String, Quantity> amounts, String name, @Nullable Quantity amount) {
        if (amount != null) {
            amounts.put(name, amount);
        }
    }

    private static @Nullable Quantity milli(@Nullable Integer cpu) {
        return cpu == null ? null : new Quantity(cpu + "m");
    }

    private static @Nullable Quantity bytes(@Nullable Long memory) {
        return memory == null ? null : new Quantity(Long.toString(memory));
    }

    static Volume emptyDirectory(String name) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .endEmptyDir()
                .build();
    }

    /**
     * Memory for {@code /dev/shm}, which else would be 64 MB. What is stored there counts as the pod's own.
     *
     * @param bytes null for as much as the pod may use
     */
    static Volume sharedMemory(@Nullable Long bytes) {
        return new VolumeBuilder()
                .withName(SHARED_MEMORY)
                .withNewEmptyDir()
                .withMedium("Memory")
                .withSizeLimit(bytes(bytes))
                .endEmptyDir()
                .build();
    }
}
