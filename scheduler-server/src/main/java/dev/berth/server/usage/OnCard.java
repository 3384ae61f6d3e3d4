package dev.berth.server.usage;

import dev.berth.core.job.JobId;
import dev.berth.server.gpu.GpuProcess;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process on a GPU, from its first look on.
 *
 * @param job the job it belongs to, null for a process that is none of Berth's
 * @param since when it was first seen there
 */
public record OnCard(
        GpuProcess process, ProcessLook.Seen seen, @Nullable JobId job, Instant since) {

    /** Of the GPU's memory, null where the driver does not tell. */
    public @Nullable Long memoryMiB() {
        Long bytes = process.memoryBytes();
        return bytes == null ? null : bytes >> 20;
    }
}
