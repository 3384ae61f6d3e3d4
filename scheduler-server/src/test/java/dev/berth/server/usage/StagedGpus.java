package dev.berth.server.usage;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuReading;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** GPUs that a test sets. */
final class StagedGpus {
    private final Map<GpuId, GpuReading> readings = new HashMap<>();
    private final Set<GpuId> failing = new HashSet<>();
    private final Map<GpuId, List<GpuProcess>> processes = new HashMap<>();

    void set(GpuId gpu, @Nullable Integer percent, long usedMiB) {
        failing.remove(gpu);
        readings.put(gpu, new GpuReading(percent, usedMiB << 20, 24_576L << 20, 60, 200_000, List.of()));
    }

    void fail(GpuId gpu) {
        failing.add(gpu);
    }

    void process(GpuId gpu, long pid, @Nullable Long memoryMiB) {
        processes
                .computeIfAbsent(gpu, _ -> new ArrayList<>())
                .add(new GpuProcess(pid, GpuProcess.Kind.COMPUTE, memoryMiB == null ? null : memoryMiB << 20));
    }

    GpuReading read(GpuId gpu) {
        GpuReading reading = readings.get(gpu);
        if (failing.contains(gpu) || reading == null) {
            throw new GpuException(GpuException.Kind.LOST, "GPU " + gpu + " has fallen off the bus");
        }
        return new GpuReading(
                reading.utilisationPercent(),
                reading.memoryUsedBytes(),
                reading.memoryTotalBytes(),
                reading.temperatureCelsius(),
                reading.powerMilliwatts(),
                processes.getOrDefault(gpu, List.of()));
    }
}
