package dev.berth.server.upkeep;

/**
 * The platform threads that virtual threads run on. By default there are as many as cores. A virtual thread that waits
 * while a class is loaded or initialised keeps its own (JEP 491, "Future work"). Where all of them wait so for a lock, as
 * that of a jar file, and the virtual thread that has it, or another that it waits for, has none, the process stands
 * still: seen twice in some thousand starts on two cores. So there may be more of them than connections and jobs are at
 * work at a time, by the default of {@code server.max-connections}; they are made when they are needed.
 */
public final class Carriers {
    static final int MAX = 1_024;

    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";

    private Carriers() {}

    /** Lets there be enough of them; to be called before the first virtual thread is made. What a flag says stays. */
    public static void reserve() {
        if (System.getProperty(PARALLELISM) == null) {
            System.setProperty(PARALLELISM, Integer.toString(MAX));
        }
    }
}
