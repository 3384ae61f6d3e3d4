package dev.berth.core.job;

import dev.berth.core.job.JobState.Deferred;
import dev.berth.core.job.JobState.Dispatched;
import dev.berth.core.job.JobState.Finished;
import dev.berth.core.job.JobState.Held;
import java.time.Instant;
import java.util.Objects;
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

    /** The job in another project. */
    public Job of(String project) {
        return new Job(id, spec.of(project), owner, submittedAt, state, part, retried, movedTo);
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

    /** Whether it may use another retry: a pack uses none, but its tasks may. */
    public boolean hasRetriesLeft() {
        return !isPack() && mayBeRetried();
    }

    /** Whether it, or a task of this pack, may use another retry. */
    public boolean mayBeRetried() {
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
        return switch (part) {
            case Part.Task(JobId array, int index) -> array + "_" + index;
            case Part.Pack(JobId array, TaskSet tasks) -> array + "_[" + tasks + "]";
            case Part.Array _ -> id.toString();
            case null -> id.toString();
        };
    }

    public boolean isPack() {
        return part instanceof Part.Pack;
    }

    /** Whether it is an array whose tasks share containers. */
    public boolean isPacked() {
        return isArray() && tasks().packing() != null;
    }

    /** The array that it takes a turn of: its own as one of the tasks or packs, or null. */
    public @Nullable JobId arrayOfTurn() {
        return part instanceof Part.Pack pack ? pack.array() : array();
    }

    /** The number of tasks that run at the same time where this has its turn: more than one in a pack alone. */
    public int width() {
        Packing packing = spec.tasks() == null ? null : spec.tasks().packing();
        return switch (part) {
            case Part.Pack(JobId _, TaskSet packed) when packing != null -> Math.min(packing.parallel(), packed.size());
            case Part.Array _
            when packing != null && !waiting().isEmpty() ->
                Math.min(packing.parallel(), ofNextPack().size());
            case null, default -> 1;
        };
    }

    /** The number of the first task of this array, such as {@code 42_0}. */
    public String firstTask() {
        return task(tasks().all().first()).number();
    }

    /** The tasks of an array that are no jobs of their own; none of another job. */
    public TaskSet waiting() {
        return part instanceof Part.Array(TaskSet waiting) ? waiting : TaskSet.NONE;
    }

    /** The highest number that belongs to it: that of the last task or pack of an array, or of its turn. */
    public long lastId() {
        return isArray() ? lastTask() + tasks().packs() : turn().value();
    }

    private long lastTask() {
        return id.value() + tasks().all().size();
    }

    /** The place from which it starts next: of an array that of its next task or pack. */
    public long place() {
        if (waiting().isEmpty()) {
            return turn().value();
        }
        JobId pack = packId(waiting().first());
        return (pack == null ? taskId(waiting().first()) : pack).value();
    }

    /** The number of the pack that a task of this array is in; null where it has a container of its own. */
    private @Nullable JobId packId(int index) {
        Packing packing = tasks().packing();
        return packing == null ? null : new JobId(lastTask() + 1 + tasks().all().position(index) / packing.size());
    }

    /** The number of the pack that this task is in. */
    public JobId pack() {
        if (part instanceof Part.Task(JobId array, int index) && spec.tasks() != null) {
            Job whole = new Job(array, spec, owner, submittedAt, state);
            JobId pack = whole.packId(index);
            if (pack != null) {
                return pack;
            }
        }
        throw new IllegalStateException("job " + number() + " is in no pack");
    }

    /** The tasks that a pack was made of; none of another job. */
    public TaskSet packed() {
        return part instanceof Part.Pack(JobId _, TaskSet tasks) ? tasks : TaskSet.NONE;
    }

    /** The number of the first task of this pack. */
    public JobId firstPacked() {
        return pairOf(Objects.requireNonNull(arrayOfTurn()), packed().first());
    }

    /** The number of the last task of this pack. */
    public JobId lastPacked() {
        return pairOf(Objects.requireNonNull(arrayOfTurn()), packed().last());
    }

    /** The tasks of this array that are in its next pack: those of its number that have had no turn. */
    private TaskSet ofNextPack() {
        int size = Objects.requireNonNull(tasks().packing()).size();
        int block = tasks().all().position(waiting().first()) / size;
        return waiting()
                .upTo(tasks().all()
                        .at(Math.min((block + 1) * size, tasks().all().size()) - 1));
    }

    /** The next pack of this array, in its state; its tasks that are to be tried again become jobs of their own. */
    public Job nextPack() {
        TaskSet next = ofNextPack();
        JobId pack = Objects.requireNonNull(packId(next.first()));
        return new Job(pack, spec.ofPack(next.size()), owner, submittedAt, state, new Part.Pack(id, next));
    }

    /** The array without the tasks of a pack. */
    public Job without(TaskSet packed) {
        Job rest = this;
        for (int index : packed.indices()) {
            rest = rest.without(index);
        }
        return rest;
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
        return isArray() && position >= 0 && task.value() <= lastTask()
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
