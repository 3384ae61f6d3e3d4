package dev.berth.server.gpu;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a GPU at one moment; null is what the GPU does not tell.
 *
 * @param utilisationPercent how much of the last sample period a kernel ran, 0 to 100
 * @param memoryUsedBytes of its memory, the driver's own part included
 * @param processes who is on it
 */
public record GpuReading(
        @Nullable Integer utilisationPercent,
        @Nullable Long memoryUsedBytes,
        @Nullable Long memoryTotalBytes,
        @Nullable Integer temperatureCelsius,
        @Nullable Integer powerMilliwatts,
        List<GpuProcess> processes) {
    public GpuReading {
        processes = List.copyOf(processes);
    }
}
