package dev.berth.core.job;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Another job whose end a job waits for. It was accepted earlier, so that no two can wait for each other.
 *
 * @param task what people call that where it is a task of an array, such as {@code 42_7}; null for another job
 */
public record Dependency(
        DependencyKind kind, JobId job, @Nullable String task) implements Comparable<Dependency> {
    private static final Comparator<Dependency> ORDER =
            Comparator.comparing(Dependency::job).thenComparing(Dependency::kind);

    public Dependency(DependencyKind kind, JobId job) {
        this(kind, job, null);
    }

    /** The dependency on a job as it is kept. */
    public static Dependency of(DependencyKind kind, Job job) {
        return new Dependency(kind, job.id(), job.array() == null ? null : job.number());
    }

    /**
     * That of one task of the array that has this one: of {@code aftercorr} the task with the same index of the other array,
     * whose indices are the same.
     *
     * @param position the place of the task among those of its array
     */
    Dependency ofTask(int index, int position) {
        return kind == DependencyKind.AFTER_CORR
                ? new Dependency(DependencyKind.AFTER_OK, new JobId(job.value() + 1 + position), job + "_" + index)
                : this;
    }

    /**
     * The end of a job that cannot be started any more.
     *
     * @param job the number by which people know it
     * @param failed what it asked of another job
     * @param end how that has ended
     */
    public static Outcome failed(String job, List<Dependency> failed, StateName end) {
        String asked = failed.stream().map(Dependency::toString).collect(Collectors.joining(", "));
        return new Outcome(
                StateName.FAILED,
                OutcomeReason.DEPENDENCY_FAILED,
                "job " + failed.getFirst().number() + " has ended " + end + ", so that " + asked
                        + " cannot be met; berth resubmit " + job + " queues it anew, waiting for nothing",
                null);
    }

    /** The number by which people know the other. */
    public String number() {
        return task == null ? job.toString() : task;
    }

    @Override
    public int compareTo(Dependency other) {
        return ORDER.compare(this, other);
    }

    /** As it is written on a command line, for example {@code afterok:12}. */
    @Override
    public String toString() {
        return kind.word() + ":" + number();
    }
}
