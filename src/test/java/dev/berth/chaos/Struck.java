package dev.berth.chaos;

/**
 * A fault that struck.
 *
 * @param from in nanoseconds of the machine's monotonic clock, which the jobs' notes have too
 * @param job whom it struck, 0 for all
 */
record Struck(Fault fault, long from, long to, long job) {

    boolean overlaps(long begin, long end) {
        return from <= end && begin <= to;
    }

    boolean isOn(long one) {
        return job == 0 || job == one;
    }
}
