package dev.berth.server.log;

import dev.berth.core.job.JobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The logs of all jobs. Safe for any thread. */
public final class LogStore {
    /** How much of one program's output is kept. */
    public static final long MAX_BYTES = 1L << 30;

    private record Expected(Signal signal) {}

    private final ConcurrentMap<JobId, Expected> open = new ConcurrentHashMap<>();
    private final Function<JobId, Path> directories;
    private final InstantSource clock;

    /**
     * The logs under a data directory.
     *
     * @param directories where a job's files are
     */
    public LogStore(Function<JobId, Path> directories, InstantSource clock) {
        this.directories = directories;
        this.clock = clock;
    }

    /** From now on, until {@link #finish}, this log may still grow. */
    public void expect(JobId job) {
        open.computeIfAbsent(job, _ -> new Expected(new Signal()));
    }

    /** Whether this log may still grow. */
    public boolean isExpected(JobId job) {
        return open.containsKey(job);
    }

    /** Opens an expected log for writing at its end. */
    public JobLog append(JobId job) {
        Expected expected = open.computeIfAbsent(job, _ -> new Expected(new Signal()));
        return new JobLog(directories.apply(job), MAX_BYTES, clock, expected.signal());
    }

    /** Opens an expected log for a replay from the program's first byte. */
    public JobLog replay(JobId job) {
        JobLog log = append(job);
        log.expectReplay();
        return log;
    }

    /** This log is complete. */
    public void finish(JobId job) {
        Expected expected = open.remove(job);
        if (expected != null) {
            expected.signal().raise();
        }
    }

    /** Raised when this log has grown or is complete; null where it is complete already. */
    public @Nullable Signal signal(JobId job) {
        Expected expected = open.get(job);
        return expected == null ? null : expected.signal();
    }

    /**
     * Reads a piece of a log.
     *
     * @param offset where to begin, in bytes
     * @return how many bytes were put into the buffer, 0 where the log ends at or before the offset
     */
    public int read(JobId job, long offset, ByteBuffer into) throws IOException {
        try (FileChannel log = FileChannel.open(directories.apply(job).resolve("log"), StandardOpenOption.READ)) {
            return offset >= log.size() ? 0 : Math.max(0, log.read(into, offset));
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
