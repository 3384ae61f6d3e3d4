package dev.berth.core.job;

import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A submitter's request, checked and complete: nothing in it is filled in later. Scheduling and lists go by it; the
 * program itself, which may be a thousand times as large, is {@link Program}.
 *
 * @param prerequisites what it waits for before it takes its turn
 * @param tasks those of an array, which all run the same; null for a job that is none
 * @param requeue whether it goes back to its place when the machine loses it
 * @param retry what follows where an attempt of it fails
 * @param notifications who else is told of it
 * @param resubmitOf the job that this one repeats, or null
 */
public record JobSpec(
        Label label,
        Place place,
        Resources resources,
        Limits limits,
        Prerequisites prerequisites,
        @Nullable Tasks tasks,
        boolean requeue,
        Retry retry,
        List<Notification> notifications,
        @Nullable Long resubmitOf) {
    private static final int BYTES_A_RANGE = 32;

    public JobSpec {
        notifications = List.copyOf(notifications);
    }

    /** Makes the spec of a job that waits for nothing but its turn. */
    public JobSpec(
            Label label, Place place, Resources resources, Limits limits, boolean requeue, @Nullable Long resubmitOf) {
        this(label, place, resources, limits, Prerequisites.NONE, null, requeue, Retry.NONE, List.of(), resubmitOf);
    }

    /** Makes the spec of a job that is no array. */
    public JobSpec(
            Label label,
            Place place,
            Resources resources,
            Limits limits,
            Prerequisites prerequisites,
            boolean requeue,
            @Nullable Long resubmitOf) {
        this(label, place, resources, limits, prerequisites, null, requeue, Retry.NONE, List.of(), resubmitOf);
    }

    /** The spec of an array of such tasks; with null, of one job. */
    public JobSpec with(@Nullable Tasks others) {
        return new JobSpec(
                label, place, resources, limits, prerequisites, others, requeue, retry, notifications, resubmitOf);
    }

    /** The spec of a job that waits for other things. */
    public JobSpec waitingFor(Prerequisites others) {
        return new JobSpec(label, place, resources, limits, others, tasks, requeue, retry, notifications, resubmitOf);
    }

    /** The spec of a job of which these are told. */
    public JobSpec telling(List<Notification> others) {
        return new JobSpec(label, place, resources, limits, prerequisites, tasks, requeue, retry, others, resubmitOf);
    }

    /** The spec of a job of another project. */
    JobSpec of(String project) {
        return new JobSpec(
                label.of(project),
                place,
                resources,
                limits,
                prerequisites,
                tasks,
                requeue,
                retry,
                notifications,
                resubmitOf);
    }

    /** The spec of a job that is retried otherwise. */
    public JobSpec with(Retry other) {
        return new JobSpec(
                label, place, resources, limits, prerequisites, tasks, requeue, other, notifications, resubmitOf);
    }

    /**
     * The spec of a pack of tasks. What is asked for each task counts for each of them, and is no matter of their container: but
     * for the time, after which nothing of it can run any more. The retries are its tasks', which leave it for them.
     *
     * @param size how many tasks it has
     */
    public JobSpec ofPack(int size) {
        Packing packing = tasks == null ? null : tasks.packing();
        if (packing == null) {
            throw new IllegalStateException("no pack of " + tasks);
        }
        Limits own = limits.ofPack(Math.ceilDiv(size, packing.parallel()));
        return new JobSpec(
                label, place, resources, own, Prerequisites.NONE, tasks, false, retry, notifications, resubmitOf);
    }

    public String name() {
        return label.name();
    }

    public String project() {
        return label.project();
    }

    public String snapshot() {
        return place.snapshot();
    }

    public String image() {
        return place.image();
    }

    public GpuRequest gpus() {
        return resources.gpus();
    }

    public @Nullable Duration timeLimit() {
        return limits.time();
    }

    /** Whether it is a process of the machine itself and no container. */
    public boolean isHost() {
        return place instanceof OnHost;
    }

    /** Whether it is handed over to another engine, which keeps the queue. */
    public boolean isAtTarget() {
        return place instanceof AtTarget;
    }

    /** The target that it is handed over to; null for this machine. */
    public @Nullable String target() {
        return place instanceof AtTarget there ? there.target() : null;
    }

    /** The nodes of its target that will do; any where it is for this machine. */
    public NodeTraits nodes() {
        return place instanceof AtTarget there ? there.nodes() : NodeTraits.ANY;
    }

    /** Whether it begins with no image that this machine has to have. */
    public boolean needsNoImage() {
        return isHost() || isAtTarget();
    }

    /** What is read for its metrics beside the file that Berth gives it. */
    public TrackSources sources() {
        return switch (place) {
            case InContainer container -> container.sources();
            case AtTarget there -> there.container().sources().printed();
            case OnHost _ -> TrackSources.NONE;
        };
    }

    /** The container that it is to have; a job that runs on the machine itself has none. */
    public InContainer container() {
        return switch (place) {
            case InContainer container -> container;
            case AtTarget there -> there.container();
            case OnHost _ -> throw new IllegalStateException("no container for a process of the machine itself");
        };
    }

    /** Whether it is to start at once or not at all. */
    public boolean isNowOrNever() {
        return place instanceof OnHost host && host.noWait();
    }

    /** The room that it takes beside its program: the bytes of its texts in UTF-8. */
    public long bytes() {
        return label.bytes()
                + place.bytes()
                + resources.bytes()
                + prerequisites.bytes()
                + bytes(tasks)
                + notifications.stream().mapToLong(Notification::bytes).sum();
    }

    /** About what the ranges of an array take in memory, twice: all of them, and those that wait. */
    private static long bytes(@Nullable Tasks tasks) {
        return tasks == null ? 0 : 2L * BYTES_A_RANGE * tasks.all().ranges().size();
    }

    /**
     * The spec of a job that repeats the given one. It waits for nothing. Of a task, that one alone is repeated, as an array
     * of one that repeats its array.
     */
    public JobSpec repeating(Job job) {
        return job.part() instanceof Part.Task(JobId array, int index)
                ? repeating(array, new Tasks(TaskSet.of(index), 0))
                : repeating(job.id(), tasks);
    }

    private JobSpec repeating(JobId job, @Nullable Tasks again) {
        return new JobSpec(
                label, place, resources, limits, Prerequisites.NONE, again, requeue, retry, notifications, job.value());
    }
}
