package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import org.jspecify.annotations.Nullable;

/**
 * A card as the machine has it.
 *
 * @param gpu what is given out
 * @param pciBusId as NVML writes it, {@code 00000000:01:00.0}; empty where unknown
 * @param minor the number in {@code /dev/nvidiaN}, -1 where unknown
 * @param parent the card that a MIG device is a part of, null for a whole card
 * @param computeMode who may use it
 * @param display whether a screen hangs on it
 */
public record GpuCard(
        Gpu gpu, String pciBusId, int minor, @Nullable GpuId parent, ComputeMode computeMode, boolean display) {

    /** Who may use a card (nvml.h, {@code nvmlComputeMode_t}). */
    public enum ComputeMode {
        DEFAULT,
        EXCLUSIVE_PROCESS,
        PROHIBITED
    }
}
