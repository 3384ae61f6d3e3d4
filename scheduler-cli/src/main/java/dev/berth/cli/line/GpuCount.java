package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;

/**
 * The number of GPUs that a job asks for: a whole number, or a share of one.
 *
 * @param milli thousandths
 */
public record GpuCount(int milli) {
    /** More than any machine holds; what this one holds is for the server to say. */
    private static final int MAX = 1024;

    private static final int MILLI = 1_000;

    public static GpuCount of(String option, String text) {
        long milli = Sizes.milli(text);
        boolean wholeOrShare = milli % MILLI == 0 || milli < MILLI;
        if (milli < 0 || milli > (long) MAX * MILLI || !wholeOrShare) {
            throw Failure.usage(option + ": '" + text + "' is neither a whole number from 0 to " + MAX
                    + " nor a share of one GPU such as 0.5, with at most three digits behind the point; for example "
                    + option + " 2");
        }
        return new GpuCount((int) milli);
    }

    public boolean isShare() {
        return milli % MILLI != 0;
    }

    /** The number of whole ones, or the thousandths of a share. */
    public int value() {
        return isShare() ? milli : milli / MILLI;
    }
}
