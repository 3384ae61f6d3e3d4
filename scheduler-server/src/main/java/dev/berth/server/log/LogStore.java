package dev.berth.server.log;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The logs of all jobs. Safe for any thread. */
public final class LogStore {
    /** The bytes of one program's output that are kept where nobody says otherwise. */
    public static final long MAX_BYTES = 1L << 30;

    private final ConcurrentMap<JobId, LogProgress> open = new ConcurrentHashMap<>();
    private final Function<JobId, Path> directories;
    private final Clocks clock;
    private final LogBounds bounds;

    /**
     * The logs under a data directory.
     *
     * @param directories where a job's files are
     */
    public LogStore(Function<JobId, Path> directories, Clocks clock) {
        this(directories, clock, MAX_BYTES);
    }

    /**
     * A store with another bound.
     *
     * @param maxBytes how much of one program's output is kept, 64 KiB at least; over it the oldest goes
     */
    public LogStore(Function<JobId, Path> directories, Clocks clock, long maxBytes) {
        this(directories, clock, LogBounds.of(maxBytes));
    }

    LogStore(Function<JobId, Path> directories, Clocks clock, LogBounds bounds) {
        this.directories = directories;
        this.clock = clock;
        this.bounds = bounds;
    }

    /** From now on, until {@link #finish}, this log may still grow. */
    public void expect(JobId job) {
        open.computeIfAbsent(job, _ -> new LogProgress());
    }

    /** Whether this log may still grow. */
    public boolean isExpected(JobId job) {
        return open.containsKey(job);
    }

    /** Opens an expected log for writing at its end what an attempt writes. */
    public JobLog append(Attempt attempt) {
        JobId job = attempt.job();
        LogProgress growth = open.computeIfAbsent(job, _ -> new LogProgress());
        return new JobLog(attempt, directories.apply(job), bounds, clock, growth);
    }

    /** Opens an expected log for a replay from the first byte of an attempt's program. */
    public JobLog replay(Attempt attempt) {
        JobLog log = append(attempt);
        log.expectReplay();
        return log;
    }

    /** Notes that this log is complete. */
    public void finish(JobId job) {
        LogProgress growth = open.remove(job);
        if (growth != null) {
            growth.signal().raise();
        }
    }

    /** Raised when this log has grown or is complete; null where it is complete already. */
    public @Nullable Signal signal(JobId job) {
        LogProgress growth = open.get(job);
        return growth == null ? null : growth.signal();
    }

    /** A reader of this log, also of one that is not there yet; to be closed. */
    public LogReader reader(JobId job) {
        return new LogReader(directories.apply(job), () -> end(job));
    }

    private long end(JobId job) {
        LogProgress growth = open.get(job);
        return growth == null ? -1 : growth.end();
    }

    /**
     * Removes a complete log; who reads it comes to its end early.
     *
     * @throws IllegalStateException where the log may still grow
     */
    public void delete(JobId job) throws IOException {
        if (isExpected(job)) {
            throw new IllegalStateException("the log of job " + job + " may still grow");
        }
        Path directory = directories.apply(job);
        for (Segment segment : Segment.list(directory).reversed()) {
            segment.delete();
        }
        for (Path leftover : Segment.files(directory)) {
            Files.deleteIfExists(leftover);
        }
        EngineCopy.delete(directory);
    }
}
