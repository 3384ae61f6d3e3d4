package dev.berth.server.usage;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Machine;
import dev.berth.server.gpu.GpuReading;
import java.util.List;
import java.util.function.Supplier;

/**
 * Readings that simulated GPUs would show if every job used what it was given: so that everything that shows or keeps such figures
 * can be tried without a GPU.
 */
public final class SimulatedReadings {
    private static final int WHOLE = 1_000;
    private static final int COLD_CELSIUS = 35;
    private static final int COLD_MILLIWATTS = 20_000;

    private final Supplier<Machine> machine;

    public SimulatedReadings(Supplier<Machine> machine) {
        this.machine = machine;
    }

    /** A GPU of which so much computes as jobs hold. */
    public GpuReading read(GpuId gpu) {
        Machine now = machine.get();
        int milli = Math.toIntExact(Math.min(WHOLE, now.heldMilli(gpu)));
        long total = now.capacity().gpu(gpu).map(Gpu::memoryMiB).orElse(0L) << 20;
        return new GpuReading(
                milli / 10,
                total / 2 * milli / WHOLE,
                total,
                COLD_CELSIUS + milli / 25,
                COLD_MILLIWATTS + 230 * milli,
                List.of());
    }
}
