package dev.berth.server.log;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The logs of all jobs. Safe for any thread. */
public final class LogStore {
    private static final Logger LOG = LoggerFactory.getLogger(LogStore.class);

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

    /** Wakes all who wait for a log to grow, so that they see what else has come. */
    public void wake() {
        open.values().forEach(growth -> growth.signal().raise());
    }

    /**
     * Waits until this log is complete.
     *
     * @param patience how long it may be without anything new
     */
    public void awaitComplete(JobId job, Duration patience) throws InterruptedException {
        boolean grows = true;
        while (grows) {
            Signal growth = signal(job);
            long seen = growth == null ? 0 : growth.count();
            grows = growth != null && isExpected(job) && growth.awaitBeyond(seen, patience);
        }
    }

    /** The last line that a job's program wrote to standard error in its last attempt; empty for none near the end. */
    public Optional<String> lastErrorLine(JobId job) {
        try {
            return LastLine.read(directories.apply(job), LogSink.Stream.ERR);
        } catch (IOException e) {
            LOG.debug("job={} the end of its log cannot be read: {}", job, e.toString());
            return Optional.empty();
        }
    }

    /** A reader of this log, also of one that is not there yet; to be closed. */
    public LogReader reader(JobId job) {
        return new LogReader(directories.apply(job), () -> end(job));
    }

    /** The places in this log where its attempts begin. What is written after an end was read is of none that they lack. */
    public AttemptMarks marks(JobId job) throws IOException {
        return AttemptMarksFile.read(directories.apply(job));
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
        AttemptMarksFile.delete(directory);
        EngineCopyFile.delete(directory);
    }
}
