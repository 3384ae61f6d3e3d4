package dev.berth.core.job;

/** What a job is in an array. */
public sealed interface Part {

    /**
     * The array itself: one place in the queue for all of its tasks that have not had their turn.
     *
     * @param waiting the tasks that are no jobs of their own
     */
    record Array(TaskSet waiting) implements Part {}

    /** A task that has become a job of its own, as its turn came or somebody asked something of it alone. */
    record Task(JobId array, int index) implements Part {}
}
