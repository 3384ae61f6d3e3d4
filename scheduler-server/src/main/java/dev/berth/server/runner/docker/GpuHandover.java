package dev.berth.server.runner.docker;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.gpu.nvidia.GpuMode;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handover of GPUs: how allocations become devices in containers.
 *
 * @param mode the one way there is, as {@link GpuWays} found it; null where the GPUs are simulated and no engine knows
 *     them
 * @param mps the service that holds shares to their part, null where none does
 * @param gpus what may be allocated, for their memory
 * @param driver what images are held against
 */
public record GpuHandover(@Nullable GpuMode mode, @Nullable Mps mps, List<Gpu> gpus, Supplier<Driver> driver) {
    /** GPUs are simulated: no container gets a device. */
    public static final GpuHandover SIMULATED = new GpuHandover(null, null, List.of(), () -> Driver.UNKNOWN);

    /** The handover by the runtime, the usual way. */
    public static final GpuHandover BY_RUNTIME =
            new GpuHandover(GpuMode.RUNTIME, null, List.of(), () -> Driver.UNKNOWN);

    public GpuHandover {
        gpus = List.copyOf(gpus);
        if (mode == GpuMode.AUTO) {
            throw new IllegalArgumentException("the way must have been chosen");
        }
    }

    /** The means for these GPUs. */
    public GpuAccess access(Allocation allocation) {
        if (mode == null || allocation.isNone()) {
            return new GpuAccess.None();
        }
        return switch (mode) {
            case AUTO, RUNTIME -> new GpuAccess.ByRuntime(allocation.gpus());
            case DEVICE_REQUEST -> new GpuAccess.ByRequest(allocation.gpus());
            case CDI -> GpuAccess.ByCdi.of(allocation.gpus());
        };
    }

    /** The share that the service is to hold a job to; empty for whole GPUs, and where no service runs. */
    Optional<GpuShare> held(Allocation allocation) {
        return mode == null || mps == null || !mps.isThere()
                ? Optional.empty()
                : allocation.shares().stream()
                        .filter(share -> share.milli() < GpuRequest.WHOLE)
                        .findFirst();
    }

    long memoryMiB(GpuShare share) {
        return gpus.stream()
                .filter(gpu -> gpu.id().equals(share.gpu()))
                .mapToLong(Gpu::memoryMiB)
                .findFirst()
                .orElse(0);
    }
}
