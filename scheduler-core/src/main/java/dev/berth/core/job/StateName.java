package dev.berth.core.job;

/** The names of the job states as every outside sees them. */
public enum StateName {
    QUEUED,
    HELD,
    STARTING,
    RUNNING,
    STOPPING,
    COMPLETED,
    FAILED,
    TIMEOUT,
    OUT_OF_MEMORY,
    LOST,
    CANCELLED;

    /** Whether nothing more will happen to the job. */
    public boolean isFinal() {
        return compareTo(STOPPING) > 0;
    }

    /** Whether the job holds a worker. */
    public boolean isLive() {
        return this == STARTING || this == RUNNING || this == STOPPING;
    }
}
