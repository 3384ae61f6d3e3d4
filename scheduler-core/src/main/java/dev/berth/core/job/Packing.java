package dev.berth.core.job;

/**
 * How the tasks of an array share containers: so many that follow each other in order of index run in one.
 *
 * @param size how many, from 1 to {@link #MAX_SIZE}
 * @param parallel how many of those run at the same time, from 1 to {@code size}; 1 for one after the other
 */
public record Packing(int size, int parallel) {
    /** The most tasks of a pack: each has two directories that are mounted into its container. */
    public static final int MAX_SIZE = 64;

    public Packing {
        if (size < 1 || size > MAX_SIZE || parallel < 1 || parallel > size) {
            throw new IllegalArgumentException("no packs of " + size + " tasks, " + parallel + " at a time");
        }
    }
}
