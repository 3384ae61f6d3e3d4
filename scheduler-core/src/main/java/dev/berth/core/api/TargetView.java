package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * Target: where jobs can go.
 *
 * @param name what it is called in a submit; {@code scheduler} is this machine's own queue
 * @param kind {@code Berth} for that queue, else the engine's name: {@code Slurm}, {@code Kubernetes}
 * @param state {@code ok}, {@code unwell}, or {@code unreachable}
 * @param sentence how it is, for people
 * @param capacity what it can hold, in words; empty where it does not say
 * @param order how jobs follow each other there, in a sentence
 * @param open whether the one who asks may submit there
 * @param atOnce how many jobs it is given at the same time, the others wait here; null for no such bound
 * @param jobs how many jobs that have not ended it has, or is to have, of those that the one who asks may see
 */
public record TargetView(
        String name,
        String kind,
        String state,
        String sentence,
        String capacity,
        String order,
        boolean open,
        @Nullable Integer atOnce,
        long jobs) {
    public static final String OK = "ok";
    public static final String UNWELL = "unwell";
    public static final String UNREACHABLE = "unreachable";

    /** The name of the machine's own queue. */
    public static final String SCHEDULER = "scheduler";

    /** How it is, for a table that people read. */
    public String shownState() {
        return state + (open ? "" : ", closed to you");
    }
}
