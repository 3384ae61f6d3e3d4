package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The front of one lane's queue. The whole queue stands in the store, so that a million waiting jobs cost no memory;
 * the window holds the first of them, and the loop reads more when it runs low.
 *
 * @param jobs the first queued jobs, by their turns
 * @param more whether the store holds queued jobs of this lane behind the last of {@code jobs}
 */
public record QueueWindow(List<Job> jobs, boolean more) {
    /** The most queued jobs of a lane that are held, but for those that are passed over. */
    public static final int MAX_JOBS = 256;

    /** The most that are held with those. */
    public static final int MAX_WITH_PASSED = 4_096;

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

    /**
     * How many jobs it should be filled up by from the store; 0 where it need not be. Those that are passed over do not count:
     * nobody behind them waits for them.
     */
    public int room(Predicate<Job> isPassedOver) {
        if (!more || jobs.size() >= MAX_WITH_PASSED) {
            return 0;
        }
        List<Job> counted = jobs.stream().filter(isPassedOver.negate()).toList();
        boolean isLow = counted.size() < MAX_JOBS / 2 && (counted.isEmpty() || bytes(counted) < MAX_BYTES / 2);
        return isLow ? Math.min(MAX_JOBS - counted.size(), MAX_WITH_PASSED - jobs.size()) : 0;
    }

    /** The bytes that the jobs in it take. */
    public long bytes() {
        return bytes(jobs);
    }

    private static long bytes(List<Job> jobs) {
        return jobs.stream().mapToLong(job -> job.spec().bytes()).sum();
    }

    /** The queued job in its place by its turn: over the old one where it stands here, between the others where it is new. */
    QueueWindow with(Job job) {
        int place = 0;
        while (place < jobs.size() && jobs.get(place).turn().compareTo(job.turn()) < 0) {
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
        int most = Math.max(MAX_JOBS, jobs.size());
        return next.size() > most ? new QueueWindow(next.subList(0, most), true) : new QueueWindow(next, more);
    }

    /** With something else in the place of each job, of the same turn. */
    QueueWindow with(UnaryOperator<Job> change) {
        return new QueueWindow(jobs.stream().map(change).toList(), more);
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
