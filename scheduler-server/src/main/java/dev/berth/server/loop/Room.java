package dev.berth.server.loop;

/**
 * The part of the queue that one user may take.
 *
 * @param jobs of theirs that wait
 * @param bytes of what was submitted, of their jobs that have not ended
 */
public record Room(long jobs, long bytes) {
    public static final Room UNBOUNDED = new Room(Long.MAX_VALUE, Long.MAX_VALUE);
}
