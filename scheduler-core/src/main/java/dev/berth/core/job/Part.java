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

    /**
     * A pack: tasks of an array that run in one container. It takes their turn and holds what they run on, once; each of them
     * is {@link JobState.Packed} meanwhile.
     *
     * @param tasks those that it was made of
     */
    record Pack(JobId array, TaskSet tasks) implements Part {}
}
