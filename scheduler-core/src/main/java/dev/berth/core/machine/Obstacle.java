package dev.berth.core.machine;

/**
 * An obstacle that keeps a GPU from being allocated for the time being; nobody keeps it over a restart, where it is
 * looked at anew.
 */
public sealed interface Obstacle {
    /** The sentence about it, as in "process 4711 of bob is on it with 812 MiB since 12:03". */
    String sentence();

    /** A process that is none of Berth's is on it. */
    record Foreign(String sentence) implements Obstacle {}

    /** The driver does not tell how it is. */
    record Sick(String sentence) implements Obstacle {}
}
