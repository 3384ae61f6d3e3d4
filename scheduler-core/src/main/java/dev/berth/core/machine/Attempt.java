package dev.berth.core.machine;

import dev.berth.core.job.JobId;
import java.util.Comparator;

/**
 * One attempt of one job, and so one container.
 *
 * @param number from 1
 */
public record Attempt(JobId job, int number) implements Comparable<Attempt> {
    private static final Comparator<Attempt> ORDER =
            Comparator.comparing(Attempt::job).thenComparingInt(Attempt::number);

    @Override
    public int compareTo(Attempt other) {
        return ORDER.compare(this, other);
    }
}
