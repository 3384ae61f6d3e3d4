package dev.berth.server.measure;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Durations, counted by how long they were. Safe for any thread. */
public final class Latencies {
    private static final long[] BOUNDS_MICROS = {
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000,
        60_000_000
    };
    private static final double MICROS = 1e6;
    private static final double NANOS = 1e9;

    private final LongAdder[] counts = new LongAdder[BOUNDS_MICROS.length + 1];
    private final LongAdder nanos = new LongAdder();

    /** Durations of which there are none yet. */
    public Latencies() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /** The highest durations that are counted together, in seconds, ascending; the last is without end. */
    public static double[] bounds() {
        double[] bounds = new double[BOUNDS_MICROS.length + 1];
        for (int i = 0; i < BOUNDS_MICROS.length; i++) {
            bounds[i] = BOUNDS_MICROS[i] / MICROS;
        }
        bounds[BOUNDS_MICROS.length] = Double.POSITIVE_INFINITY;
        return bounds;
    }

    /** Takes one in; one below 0 counts as 0. */
    public void observe(Duration duration) {
        long taken = duration.isNegative() ? 0 : duration.toNanos();
        int i = 0;
        while (i < BOUNDS_MICROS.length && taken > BOUNDS_MICROS[i] * 1_000) {
            i++;
        }
        nanos.add(taken);
        counts[i].increment();
    }

    /** The number of those up to each bound that are above the bound before it. */
    public long[] counts() {
        long[] now = new long[counts.length];
        for (int i = 0; i < now.length; i++) {
            now[i] = counts[i].sum();
        }
        return now;
    }

    /** All of them together, in seconds. */
    public double seconds() {
        return nanos.sum() / NANOS;
    }
}
