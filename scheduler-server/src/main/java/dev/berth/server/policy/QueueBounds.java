package dev.berth.server.policy;

/**
 * How much users may put into the queue, so that one's runaway script fills neither the disk that everybody's queue is on
 * nor the server's memory.
 *
 * @param jobs of one user that may wait
 * @param jobBytes how large one job may be: its command, its variables and its options
 * @param userBytes how large all jobs of one user may be that have not ended
 */
public record QueueBounds(long jobs, long jobBytes, long userBytes) {
    /** The built-in ones. */
    public static final QueueBounds BUILT_IN = new QueueBounds(100_000, 256L << 10, 256L << 20);

    /** The same for another number of jobs. */
    public QueueBounds withJobs(long most) {
        return new QueueBounds(most, jobBytes, userBytes);
    }
}
