package dev.berth.server.usage;

import dev.berth.core.job.JobId;
import dev.berth.server.gpu.GpuReading;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a GPU at the last look at it.
 *
 * @param processes who was on it
 */
public record GpuStatus(Instant at, GpuReading reading, List<ObservedProcess> processes) {
    public GpuStatus {
        processes = List.copyOf(processes);
    }

    /** Memory that a job's processes hold; null where the driver does not tell of each, or there are none. */
    public @Nullable Long memoryMiB(JobId job) {
        Long total = null;
        for (ObservedProcess process : processes) {
            if (job.equals(process.job())) {
                Long held = process.memoryMiB();
                if (held == null) {
                    return null;
                }
                total = (total == null ? 0 : total) + held;
            }
        }
        return total;
    }

    boolean has(JobId job) {
        return processes.stream().anyMatch(process -> job.equals(process.job()));
    }
}
