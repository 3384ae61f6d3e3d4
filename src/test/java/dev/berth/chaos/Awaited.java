package dev.berth.chaos;

/** What others may wait for: a job or an array. */
interface Awaited {
    long id();

    String state();

    /** When it was over at the earliest, in nanoseconds of the machine's monotonic clock. */
    long over();
}
