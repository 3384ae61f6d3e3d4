package dev.berth.core.job;

import java.util.Comparator;

/** Another job whose end a job waits for. It was accepted earlier, so that no two can wait for each other. */
public record Dependency(DependencyKind kind, JobId job) implements Comparable<Dependency> {
    private static final Comparator<Dependency> ORDER =
            Comparator.comparing(Dependency::job).thenComparing(Dependency::kind);

    @Override
    public int compareTo(Dependency other) {
        return ORDER.compare(this, other);
    }

    /** As it is written on a command line, for example {@code afterok:12}. */
    @Override
    public String toString() {
        return kind.word() + ":" + job;
    }
}
