package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.place.GpuTopology;
import dev.berth.server.upkeep.BackgroundWork;
import java.util.List;
import java.util.stream.IntStream;

/** GPUs that are simulated, so that everything but CUDA itself can be tried on a machine without one. Nobody is ever on them. */
public final class SimulatedGpus implements GpuReader {
    private static final long MEMORY_MIB = 24_576;

    private final List<Gpu> gpus;

    /** Makes so many GPUs. */
    public SimulatedGpus(int count) {
        gpus = of(count);
    }

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

    @Override
    public GpuInventory inventory() {
        List<GpuDevice> devices = gpus.stream()
                .map(gpu -> new GpuDevice(gpu, "", -1, null, GpuDevice.ComputeMode.DEFAULT, false))
                .toList();
        return new GpuInventory(null, null, devices, GpuTopology.UNKNOWN, List.of());
    }

    @Override
    public GpuReading read(GpuId gpu) {
        return new GpuReading(null, null, null, null, null, processes(gpu));
    }

    @Override
    public List<GpuProcess> processes(GpuId gpu) {
        if (gpus.stream().noneMatch(it -> it.id().equals(gpu))) {
            throw new GpuException("there is no simulated GPU " + gpu);
        }
        return List.of();
    }

    @Override
    public AutoCloseable watch(GpuListener listener, BackgroundWork background) {
        return () -> {};
    }

    @Override
    public void close() {}
}
