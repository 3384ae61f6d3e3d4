package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import dev.berth.server.upkeep.BackgroundWork;
import java.util.List;

/**
 * Way to read the GPUs, of a vendor or simulated. Every call returns
 * within a bound of time whatever a GPU does, and may be made from any thread.
 */
public interface GpuReader extends AutoCloseable {

    /**
     * The GPUs that there are, looked at anew at each call.
     *
     * @throws GpuException where nothing can be said of any GPU
     */
    GpuInventory inventory();

    /**
     * The reading of a GPU now.
     *
     * @throws GpuException where it cannot be said of this GPU
     */
    GpuReading read(GpuId gpu);

    /**
     * The processes on a GPU now; the cheap part of {@link #read}, for callers that wait. For a MIG device what is on
     * it, where the driver tells that, else what is on its parent.
     *
     * @throws GpuException where it cannot be said of this GPU
     */
    List<GpuProcess> processes(GpuId gpu);

    /**
     * Reads like {@link #read}, for who looks at all GPUs again and again, and nobody waits for: it finds out whether
     * a GPU that hung is well again.
     */
    default GpuReading sample(GpuId gpu) {
        return read(gpu);
    }

    /**
     * Tells of errors of the GPUs from now on, until closed; returns at once, also where the driver tells of none.
     *
     * @param background where it is listened
     */
    AutoCloseable watch(GpuListener listener, BackgroundWork background);

    @Override
    void close();

    /** Hears of a GPU's errors, on a thread of the reader's. */
    interface GpuListener {
        /** The driver reported an error of the GPU, or of what runs on it. */
        void fault(GpuId gpu, GpuFault fault);

        /** The GPU has fallen off the bus, as a look at it found; told once, and again after it was back. */
        default void lost(GpuId gpu) {}
    }
}
