package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The front of one lane's queue. The whole queue stands in the store, so that a million waiting jobs cost no memory;
 * the window holds the first of them, and the loop reads more when it runs low.
 *
 * @param jobs the first queued jobs, by id
 * @param more whether the store holds queued jobs of this lane behind the last of {@code jobs}
 */
public record QueueWindow(List<Job> jobs, boolean more) {
    /** The most queued jobs of a lane that are held. */
    public static final int MAX_JOBS = 256;

    /**
     * The most bytes of queued jobs that are read into it, as {@link dev.berth.core.job.JobSpec#bytes} counts them.
     * What is accepted is far below that, so that it is met by jobs of an older version alone.
     */
    public static final long MAX_BYTES = 8L << 20;

    public static final QueueWindow EMPTY = new QueueWindow(List.of(), false);

    public QueueWindow {
        jobs = List.copyOf(jobs);
    }

    public Optional<Job> head() {
        return jobs.isEmpty() ? Optional.empty() : Optional.of(jobs.getFirst());
    }

    public Optional<Job> find(JobId id) {
        return jobs.stream().filter(job -> job.id().equals(id)).findFirst();
    }

    /** Whether it should be filled up from the store. */
    public boolean isLow() {
        return more && jobs.size() < MAX_JOBS / 2 && (jobs.isEmpty() || bytes() < MAX_BYTES / 2);
    }

    /** The bytes that the jobs in it take. */
    public long bytes() {
        return jobs.stream().mapToLong(job -> job.spec().bytes()).sum();
    }

    /** The queued job in its place by id: over the old one where it stands here, between the others where it is new. */
    QueueWindow with(Job job) {
        int place = 0;
        while (place < jobs.size() && jobs.get(place).id().compareTo(job.id()) < 0) {
            place++;
        }
        boolean present = place < jobs.size() && jobs.get(place).id().equals(job.id());
        if (place == jobs.size() && more) {
            return this;
        }
        List<Job> next = new ArrayList<>(jobs);
        if (present) {
            next.set(place, job);
        } else {
            next.add(place, job);
        }
        return next.size() > MAX_JOBS ? new QueueWindow(next.subList(0, MAX_JOBS), true) : new QueueWindow(next, more);
    }

    QueueWindow without(JobId id) {
        return find(id).isEmpty()
                ? this
                : new QueueWindow(
                        jobs.stream().filter(job -> !job.id().equals(id)).toList(), more);
    }

    /** Longer by what the store holds behind the last job. */
    QueueWindow extended(List<Job> behind, boolean stillMore) {
        List<Job> next = new ArrayList<>(jobs);
        next.addAll(behind);
        return new QueueWindow(next, stillMore);
    }
}
