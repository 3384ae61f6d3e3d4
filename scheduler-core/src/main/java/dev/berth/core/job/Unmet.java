package dev.berth.core.job;

import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Those of a job's prerequisites that are not met. With none the job is ready.
 *
 * @param begin the date that has not come, or null
 * @param pending the jobs that have not ended
 * @param broken the jobs that ended otherwise than asked for
 */
public record Unmet(@Nullable Instant begin, SortedSet<Dependency> pending, SortedSet<Dependency> broken) {
    public static final Unmet NONE = new Unmet(null, new TreeSet<>(), new TreeSet<>());

    public Unmet {
        pending = Collections.unmodifiableSortedSet(new TreeSet<>(pending));
        broken = Collections.unmodifiableSortedSet(new TreeSet<>(broken));
    }

    /**
     * Those of a job that is accepted.
     *
     * @param met the dependencies on jobs that have ended as asked for
     */
    public static Unmet of(Prerequisites asked, Set<Dependency> met, Instant at) {
        SortedSet<Dependency> pending = new TreeSet<>(asked.dependencies());
        pending.removeAll(met);
        Instant begin = asked.begin();
        return new Unmet(begin == null || !begin.isAfter(at) ? null : begin, pending, new TreeSet<>());
    }

    public boolean isEmpty() {
        return begin == null && pending.isEmpty() && broken.isEmpty();
    }

    /** What is left at a date. */
    public Unmet at(Instant date) {
        return begin == null || begin.isAfter(date) ? this : new Unmet(null, pending, broken);
    }

    /** What is left once somebody has decided that the job need not wait for what cannot be met any more. */
    public Unmet withoutBroken() {
        return broken.isEmpty() ? this : new Unmet(begin, pending, new TreeSet<>());
    }

    /** What is left once a job has ended in a state. */
    public Unmet after(JobId other, StateName end) {
        SortedSet<Dependency> left = new TreeSet<>(pending);
        SortedSet<Dependency> failed = new TreeSet<>(broken);
        for (Dependency dependency : pending) {
            if (dependency.job().equals(other)) {
                left.remove(dependency);
                if (!dependency.kind().isMetBy(end)) {
                    failed.add(dependency);
                }
            }
        }
        return new Unmet(begin, left, failed);
    }

    /** Those of one task of the array that has these. */
    Unmet ofTask(int index, int position) {
        if (!isTaskByTask(pending) && !isTaskByTask(broken)) {
            return this;
        }
        SortedSet<Dependency> failed = ofTask(broken, index, position);
        SortedSet<Dependency> left = ofTask(pending, index, position);
        // The task may be waited for by itself, too.
        left.removeAll(failed);
        return new Unmet(begin, left, failed);
    }

    private static SortedSet<Dependency> ofTask(SortedSet<Dependency> all, int index, int position) {
        return all.stream()
                .map(dependency -> dependency.ofTask(index, position))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether each task of an array waits for one of another's. */
    public boolean isTaskByTask() {
        return isTaskByTask(pending);
    }

    private static boolean isTaskByTask(SortedSet<Dependency> all) {
        return all.stream().anyMatch(dependency -> dependency.kind() == DependencyKind.AFTER_CORR);
    }

    /** Whether it waits for the end of a job. */
    public boolean waitsFor(JobId other) {
        return pending.stream().anyMatch(dependency -> dependency.job().equals(other));
    }
}
