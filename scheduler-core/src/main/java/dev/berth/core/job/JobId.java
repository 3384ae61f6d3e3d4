package dev.berth.core.job;

/** A job's number: its place in the order of acceptance, counted from 1 and never used again. */
public record JobId(long value) implements Comparable<JobId> {
    public JobId {
        if (value < 1) {
            throw new IllegalArgumentException("a job id is at least 1, not " + value);
        }
    }

    @Override
    public int compareTo(JobId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
