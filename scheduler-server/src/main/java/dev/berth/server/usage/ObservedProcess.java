package dev.berth.server.usage;

import dev.berth.core.job.JobId;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.occupy.ProcessIdentity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Process on a GPU, from the first look on that saw it.
 *
 * @param since when it was first seen there
 */
public record ObservedProcess(GpuProcess process, ProcessIdentity identity, Instant since) {

    /** Job that it belongs to, null for a process that is none of Berth's. */
    public @Nullable JobId job() {
        return identity.job();
    }

    /** The process's part of the GPU's memory, null where the driver does not tell. */
    public @Nullable Long memoryMiB() {
        Long bytes = process.memoryBytes();
        return bytes == null ? null : bytes >> 20;
    }
}
