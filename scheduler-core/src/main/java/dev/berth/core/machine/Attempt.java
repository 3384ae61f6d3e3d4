package dev.berth.core.machine;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import java.util.Comparator;

/**
 * An attempt of one job, and so one container.
 *
 * @param number from 1
 */
public record Attempt(JobId job, int number) implements Comparable<Attempt> {
    private static final Comparator<Attempt> ORDER =
            Comparator.comparing(Attempt::job).thenComparingInt(Attempt::number);

    /** The one that a job is at. */
    public static Attempt of(Job job) {
        return new Attempt(job.id(), job.state().attempt());
    }

    @Override
    public int compareTo(Attempt other) {
        return ORDER.compare(this, other);
    }
}
