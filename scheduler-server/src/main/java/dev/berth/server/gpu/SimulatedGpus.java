package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import java.util.List;
import java.util.stream.IntStream;

/** Made-up GPUs, so that everything but CUDA itself can be tried on a machine without one. */
public final class SimulatedGpus {
    private static final long MEMORY_MIB = 24_576;

    private SimulatedGpus() {}

    /** {@code count} of them, the same each time. */
    public static List<Gpu> of(int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> new Gpu(
                        new GpuId("GPU-51111111-0000-4000-8000-%012d".formatted(index)),
                        index,
                        "Simulated GPU",
                        MEMORY_MIB))
                .toList();
    }
}
