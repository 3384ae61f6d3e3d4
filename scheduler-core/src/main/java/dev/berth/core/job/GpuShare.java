package dev.berth.core.job;

/**
 * A part of one GPU that a job holds.
 *
 * @param milli thousandths of the GPU, 1 to 1000
 */
public record GpuShare(GpuId gpu, int milli) {
    public GpuShare {
        if (milli < 1 || milli > GpuRequest.WHOLE) {
            throw new IllegalArgumentException("not a share of one GPU: " + milli + " thousandths");
        }
    }
}
