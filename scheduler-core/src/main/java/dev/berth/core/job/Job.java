package dev.berth.core.job;

import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job: what was asked for, by whom, when, and where it stands. An array is one, and so is each of its tasks once its turn
 * has come; their numbers follow that of the array, in order of index.
 *
 * @param part what it is in an array, or null
 * @param retried the number of retries that it has used
 * @param movedTo the number by which it takes its turn since a retry put it at the end of the queue; null where that is its own
 */
public record Job(
        JobId id,
        JobSpec spec,
        Submitter owner,
        Instant submittedAt,
        JobState state,
        @Nullable Part part,
        int retried,
        @Nullable JobId movedTo) {

    /** Makes a job that was accepted: an array, where it asks for tasks, of which none is a job of its own. */
    public Job(JobId id, JobSpec spec, Submitter owner, Instant submittedAt, JobState state) {
        this(
                id,
                spec,
                owner,
                submittedAt,
                state,
                spec.tasks() == null ? null : new Part.Array(spec.tasks().all()));
    }

    /** Makes a job that was never retried. */
    public Job(JobId id, JobSpec spec, Submitter owner, Instant submittedAt, JobState state, @Nullable Part part) {
        this(id, spec, owner, submittedAt, state, part, 0, null);
    }

    public Job with(JobState next) {
        return new Job(id, spec, owner, submittedAt, next, part, retried, movedTo);
    }

    /**
     * The job with one retry more.
     *
     * @param end the number by which it takes its turn where a retry goes to the end of the queue
     */
    public Job retriedOnceMore(JobId end) {
        JobId turn = spec.retry().atEnd() ? end : movedTo;
        return new Job(id, spec, owner, submittedAt, state, part, retried + 1, turn);
    }

    /** Whether it may use another retry. */
    public boolean hasRetriesLeft() {
        return retried < spec.retry().most();
    }

    /** The retry that it is at, as {@code retry 1 of 3}. */
    public String retryInWords() {
        return "retry " + retried + " of " + spec.retry().most();
    }

    /** The number by which it takes its turn: before all that have a higher one. */
    public JobId turn() {
        return movedTo == null ? id : movedTo;
    }

    public boolean isArray() {
        return part instanceof Part.Array;
    }

    /** The array that it is a task of, or null. */
    public @Nullable JobId array() {
        return part instanceof Part.Task task ? task.array() : null;
    }

    /** The number by which people know it: {@code 42}, or {@code 42_7} for a task. */
    public String number() {
        return part instanceof Part.Task(JobId array, int index) ? array + "_" + index : id.toString();
    }

    /** The number of the first task of this array, such as {@code 42_0}. */
    public String firstTask() {
        return task(tasks().all().first()).number();
    }

    /** The tasks of an array that are no jobs of their own; none of another job. */
    public TaskSet waiting() {
        return part instanceof Part.Array(TaskSet waiting) ? waiting : TaskSet.NONE;
    }

    /** The highest number that belongs to it: that of the last task of an array, or of its turn. */
    public long lastId() {
        return isArray() ? id.value() + tasks().all().size() : turn().value();
    }

    /** The place from which it starts next: of an array that of its next task. */
    public long place() {
        return waiting().isEmpty() ? turn().value() : taskId(waiting().first()).value();
    }

    /** The number that a task of this array has, or is to have. */
    public JobId taskId(int index) {
        return pairOf(id, index);
    }

    /** The number of the task of another array with the same indices. */
    public JobId pairOf(JobId other, int index) {
        return new JobId(other.value() + 1 + tasks().all().position(index));
    }

    /** The index of the task of this array that has a number; null where none has. */
    public @Nullable Integer indexOf(JobId task) {
        long position = task.value() - id.value() - 1;
        return isArray() && position >= 0 && task.value() <= lastId()
                ? (Integer) tasks().all().at(Math.toIntExact(position))
                : null;
    }

    /** The task of an array as a job of its own; it stands where the array does. */
    public Job task(int index) {
        int position = tasks().all().position(index);
        JobState own = switch (state) {
            case Dispatched(int _, Finished rest) when rest != null -> rest;
            case Deferred(int attempt, Unmet unmet) -> new Deferred(attempt, unmet.ofTask(index, position));
            case Held held ->
                new Held(held.attempt(), held.image(), held.unmet().ofTask(index, position), held.by(), held.since());
            default -> state;
        };
        return new Job(taskId(index), spec, owner, submittedAt, own, new Part.Task(id, index));
    }

    /** Whether each of its tasks that is no job of its own waits for one of another array. */
    public boolean isTaskByTask() {
        return state.unmet().isTaskByTask();
    }

    /** The task of this array that has a number; empty where none has, or it was a job of its own and is deleted. */
    public Optional<Job> task(JobId number) {
        Integer index = indexOf(number);
        return index == null || !waiting().contains(index) ? Optional.empty() : Optional.of(task(index));
    }

    /** The array once one of its tasks is a job of its own; it keeps its place as long as any is not. */
    public Job without(int index) {
        TaskSet rest = waiting().without(index);
        JobState next = rest.isEmpty() && state instanceof JobState.Waiting waits
                ? new Dispatched(waits.attempt(), null)
                : state;
        return new Job(id, spec, owner, submittedAt, next, new Part.Array(rest));
    }

    private Tasks tasks() {
        Tasks tasks = spec.tasks();
        if (tasks == null) {
            throw new IllegalStateException("job " + id + " is no array");
        }
        return tasks;
    }
}
