package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import java.util.List;

/**
 * Reads the cards: NVIDIA's library, {@code nvidia-smi} where that cannot be had, or made-up cards. Every call returns
 * within a bound of time whatever a card does, and may be made from any thread.
 */
public interface GpuReader extends AutoCloseable {

    /**
     * What there is, anew at each call.
     *
     * @throws GpuException where nothing can be said of any card
     */
    GpuInventory inventory();

    /**
     * How a card is now.
     *
     * @throws GpuException where it cannot be said of this card
     */
    GpuReading read(GpuId gpu);

    /**
     * Who is on a card now; the cheap part of {@link #read}, for whoever waits. For a MIG device what is on it, where the
     * driver tells that, else what is on its parent.
     *
     * @throws GpuException where it cannot be said of this card
     */
    List<GpuProcess> processes(GpuId gpu);

    /**
     * The same as {@link #read} for who looks at all cards again and again, and nobody waits for: it finds out whether a card
     * that hung is well again.
     */
    default GpuReading sample(GpuId gpu) {
        return read(gpu);
    }

    /** Tells of errors of the cards from now on, until closed; returns at once, also where the driver tells of none. */
    AutoCloseable watch(GpuListener listener);

    @Override
    void close();

    /** Hears of a card's errors, on a thread of the reader's. */
    interface GpuListener {
        /** The driver reported an XID error (docs.nvidia.com/deploy/xid-errors). */
        void xid(GpuId gpu, int xid);

        /** An ECC error that could not be corrected. */
        void doubleBitError(GpuId gpu);

        /** The card has fallen off the bus, as whoever looked at it found; told once, and again after it was back. */
        default void lost(GpuId gpu) {}
    }
}
