package dev.berth.core.job;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a job is to wait for before it takes its turn, as its submitter asked.
 *
 * @param begin the date before which it does not start, or null
 * @param dependencies the jobs that have to end before
 * @param keepWaiting whether it goes on waiting where one of them has ended otherwise, until somebody releases it
 */
public record Prerequisites(@Nullable Instant begin, List<Dependency> dependencies, boolean keepWaiting) {
    public static final Prerequisites NONE = new Prerequisites(null, List.of(), false);

    /** The most jobs that one job may wait for. */
    public static final int MAX_DEPENDENCIES = 1_000;

    /** The most tasks of an array whose tasks wait for those of another, as each is a job of its own before its turn. */
    public static final int MAX_TASK_BY_TASK = 1_000;

    /** The most arrays whose tasks wait for those of one, as all are told of the end of a task at once. */
    public static final int MAX_PAIRS = 16;

    /** About what a dependency takes in memory, where what a job still waits for is read beside it. */
    private static final int BYTES_EACH = 200;

    public Prerequisites {
        dependencies = List.copyOf(dependencies);
    }

    long bytes() {
        return bytes(dependencies.size());
    }

    /** About what so many dependencies take in memory. */
    public static long bytes(int dependencies) {
        return (long) BYTES_EACH * dependencies;
    }
}
