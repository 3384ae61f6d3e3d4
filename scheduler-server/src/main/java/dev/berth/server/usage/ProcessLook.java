package dev.berth.server.usage;

import dev.berth.core.job.JobId;
import org.jspecify.annotations.Nullable;

/** Says what a process on a GPU is. Returns within a bound of time. */
public interface ProcessLook {

    /** What is known of it; of one that is gone as little as that is. */
    Seen look(long pid);

    /** Whether it is told whose job a process is. Where it is not, the one holder of a GPU is taken for it. */
    boolean tellsJobs();

    /**
     * A process.
     *
     * @param user whose it is, by name or number
     * @param command what it is, without its arguments
     * @param line the same with its arguments
     * @param container the container it is in, null for none
     * @param job the job it belongs to, null for a process that is none of Berth's
     */
    record Seen(
            String user,
            String command,
            String line,
            @Nullable String container,
            @Nullable JobId job) {}
}
