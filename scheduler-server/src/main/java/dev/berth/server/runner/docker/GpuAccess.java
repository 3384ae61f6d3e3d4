package dev.berth.server.runner.docker;

import dev.berth.core.job.GpuId;
import java.util.List;
import java.util.stream.Collectors;

/** The means by which a container comes to its GPUs. */
public sealed interface GpuAccess {
    /** The kind of device that the toolkit's specifications are about (Container Device Interface, "kind"). */
    String CDI_KIND = "nvidia.com/gpu";

    /** The runtime that knows of no GPU. */
    String PLAIN_RUNTIME = "runc";

    /** Sees none, whatever its image says. */
    record None() implements GpuAccess {}

    /** The runtime {@code nvidia} reads the variable. */
    record ByRuntime(List<GpuId> gpus) implements GpuAccess {
        public ByRuntime {
            gpus = List.copyOf(gpus);
        }

        @Override
        public String runtime() {
            return EngineFacts.NVIDIA_RUNTIME;
        }

        /** Read by the runtime. */
        @Override
        public String visibleDevices() {
            return uuids(gpus);
        }

        @Override
        public String inWords() {
            return "runtime nvidia, " + GpuEnvironment.VISIBLE_DEVICES + "=the UUIDs of the GPUs it is given";
        }
    }

    /** A device request that names them. */
    record ByRequest(List<GpuId> gpus) implements GpuAccess {
        public ByRequest {
            gpus = List.copyOf(gpus);
        }

        /**
         * The engine adds the variable for its hook behind whatever is there (moby, daemon/nvidia_linux.go), and a
         * program reads the first of two: so both are the same.
         */
        @Override
        public String visibleDevices() {
            return uuids(gpus);
        }

        @Override
        public String inWords() {
            return "a device request for the UUIDs of the GPUs it is given";
        }
    }

    /** Devices by the full names that a specification gives them. */
    record ByCdi(List<String> devices) implements GpuAccess {
        public ByCdi {
            devices = List.copyOf(devices);
        }

        static ByCdi of(List<GpuId> gpus) {
            return new ByCdi(gpus.stream().map(ByCdi::device).toList());
        }

        static String device(GpuId gpu) {
            return CDI_KIND + "=" + gpu.uuid();
        }

        @Override
        public String inWords() {
            return "the CDI devices " + CDI_KIND + "=UUID of the GPUs it is given";
        }
    }

    /** The engine's runtime by name; said each time, as an engine's default runtime may be {@code nvidia}. */
    default String runtime() {
        return PLAIN_RUNTIME;
    }

    /**
     * The value of {@code NVIDIA_VISIBLE_DEVICES} in the container. "void" makes the nvidia runtime inject nothing,
     * also where an image bakes in "all" and the runtime is the engine's default (NVIDIA Container Toolkit,
     * "Specialized Configurations with Docker").
     */
    default String visibleDevices() {
        return "void";
    }

    /** The way of access, for people. */
    default String inWords() {
        return "runtime " + PLAIN_RUNTIME + ", " + GpuEnvironment.VISIBLE_DEVICES + "=void";
    }

    private static String uuids(List<GpuId> gpus) {
        return gpus.stream().map(GpuId::uuid).collect(Collectors.joining(","));
    }
}
