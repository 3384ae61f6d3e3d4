package dev.berth.server.gpu;

import org.jspecify.annotations.Nullable;

/**
 * A process on a GPU.
 *
 * @param pid the machine's number
 * @param kind what it does there
 * @param memoryBytes of the GPU's memory that it holds, null where the driver does not tell
 */
public record GpuProcess(long pid, Kind kind, @Nullable Long memoryBytes) {

    /** The use that a process makes of a GPU; a process that computes and draws computes ("C+G" of nvidia-smi). */
    public enum Kind {
        COMPUTE,
        GRAPHICS,
        COMPUTE_AND_GRAPHICS
    }
}
