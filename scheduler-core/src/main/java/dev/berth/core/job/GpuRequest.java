package dev.berth.core.job;

import java.math.BigDecimal;

/**
 * The amount of GPU that a job asks for, in thousandths of one GPU: 2000 is two whole ones.
 *
 * @param milli 0, a multiple of 1000, or less than 1000 for a share of one GPU
 */
public record GpuRequest(int milli) {
    /** A whole GPU, in thousandths. */
    public static final int WHOLE = 1000;

    private static final int MILLI_DIGITS = 3;

    /** More than any machine holds; keeps the arithmetic far from overflow. */
    public static final int MAX_COUNT = 1024;

    public static final GpuRequest NONE = new GpuRequest(0);

    public GpuRequest {
        boolean wholeOrShare = milli % WHOLE == 0 || milli < WHOLE;
        if (milli < 0 || milli > MAX_COUNT * WHOLE || !wholeOrShare) {
            throw new IllegalArgumentException("not a GPU request: " + milli + " thousandths");
        }
    }

    /** A request for {@code count} whole GPUs, 0 to {@link #MAX_COUNT}. */
    public static GpuRequest whole(int count) {
        if (count < 0 || count > MAX_COUNT) {
            throw new IllegalArgumentException("not a number of GPUs: " + count);
        }
        return new GpuRequest(count * WHOLE);
    }

    public boolean isNone() {
        return milli == 0;
    }

    /** The number of GPUs that have to be touched: 2000 needs two, 500 needs one. */
    public int count() {
        return (milli + WHOLE - 1) / WHOLE;
    }

    /** Whether it is a part of one GPU. */
    public boolean isShare() {
        return milli % WHOLE != 0;
    }

    /** As people write it: "2", "0.5". */
    public String text() {
        return BigDecimal.valueOf(milli, MILLI_DIGITS).stripTrailingZeros().toPlainString();
    }

    /** "no GPU", "1 GPU", "3 GPUs", "0.5 of a GPU". */
    public String inWords() {
        if (isShare()) {
            return text() + " of a GPU";
        }
        return isNone() ? "no GPU" : count() == 1 ? "1 GPU" : count() + " GPUs";
    }
}
