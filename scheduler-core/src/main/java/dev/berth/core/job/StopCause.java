package dev.berth.core.job;

/** The reason why a program is being stopped. */
public sealed interface StopCause {
    /**
     * Somebody asked.
     *
     * @param by the login name of who asked
     */
    record Cancelled(String by) implements StopCause {}

    /** The job ran as long as it may. */
    record TimeLimit() implements StopCause {}

    /** The job left its GPUs idle for longer than it may. */
    record Idle(String sentence) implements StopCause {}

    /** The job's container has lost its GPUs, which only a new one gets back. */
    record DeviceLost(String sentence) implements StopCause {}
}
