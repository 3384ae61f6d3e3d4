package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * GPU or MIG device as the machine has it.
 *
 * @param gpu what is allocated
 * @param pciBusId as NVML writes it, {@code 00000000:01:00.0}; empty where unknown
 * @param minor the number in {@code /dev/nvidiaN}, -1 where unknown
 * @param mig what a MIG device is a part of, null for a GPU in one piece
 * @param computeMode who may use it
 * @param display whether a screen hangs on it
 */
public record GpuDevice(
        Gpu gpu, String pciBusId, int minor, @Nullable Mig mig, ComputeMode computeMode, boolean display) {

    GpuId id() {
        return gpu.id();
    }

    /** The UUID of the GPU that it is, or is a part of. */
    GpuId physicalId() {
        return mig == null ? gpu.id() : mig.physical();
    }

    /**
     * The place of a MIG device.
     *
     * @param instances its GPU instance and its compute instance on that GPU, {@code 1/0}; empty where they are not told
     */
    public record Mig(GpuId physical, String instances) {
        /** Whether it is called so by drivers before 470: {@code MIG-GPU-<uuid>/<gpu instance>/<compute instance>}. */
        boolean isCalled(String name) {
            return ("MIG-" + physical + "/" + instances)
                    .toUpperCase(Locale.ROOT)
                    .equals(name);
        }
    }

    /** The compute mode of a GPU: who may use it (nvml.h, {@code nvmlComputeMode_t}). */
    public enum ComputeMode {
        DEFAULT,
        EXCLUSIVE_PROCESS,
        PROHIBITED
    }
}
