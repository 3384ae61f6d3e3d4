package dev.berth.cli.output;

import dev.berth.cli.snapshot.DirectoryLimits;
import dev.berth.cli.snapshot.Progress;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A line on standard error that says how far a snapshot is, drawn over itself and gone at the end. Nothing where no
 * terminal is there, and for what is done in no time. For one thread.
 */
public final class ProgressBar implements Progress, AutoCloseable {
    private static final Duration QUIET = Duration.ofMillis(300);
    private static final Duration BETWEEN = Duration.ofMillis(100);
    private static final int CELLS = 30;
    private static final int PERCENT = 100;

    private final Screen screen;
    private final LongSupplier nanos;
    private final boolean wanted;
    private long next;
    private boolean drawn;

    /**
     * A bar that is not drawn yet.
     *
     * @param nanos of a clock that nobody sets
     * @param wanted whether it is, where there is a terminal
     */
    public ProgressBar(Screen screen, LongSupplier nanos, boolean wanted) {
        this.screen = screen;
        this.nanos = nanos;
        this.wanted = wanted && screen.isWatched();
        this.next = nanos.getAsLong() + QUIET.toNanos();
    }

    @Override
    public void at(Step step, long done, long all) {
        if (!wanted) {
            return;
        }
        long now = nanos.getAsLong();
        if (now - next >= 0) {
            next = now + BETWEEN.toNanos();
            drawn = true;
            screen.aside("\r" + line(step, done, all) + "\u001b[K");
        }
    }

    private static String line(Step step, long done, long all) {
        int percent = all == 0 ? PERCENT : (int) (Math.min(done, all) * PERCENT / all);
        int cells = percent * CELLS / PERCENT;
        return (step == Step.READING ? "reading [" : "sending [") + "#".repeat(cells) + ".".repeat(CELLS - cells) + "] "
                + percent + "% of " + DirectoryLimits.inWords(all);
    }

    /** Wipes the line out. */
    @Override
    public void close() {
        if (drawn) {
            screen.aside("\r\u001b[K");
            drawn = false;
        }
    }
}
