package dev.berth.server.policy;

import dev.berth.core.job.JobOptions;
import dev.berth.core.job.PullPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a job is like where its submitter says nothing, and how far they may go.
 *
 * @param timeLimit of a job that names none, or null for none
 * @param maxTimeLimit the longest that may be asked for, or null for any; a job without a limit gets it
 * @param memoryBytes or null for all of the machine's
 * @param cpuMilli thousandths of a CPU, or null for all of them
 * @param shmBytes size of /dev/shm, or null for a share of the machine's memory
 * @param networks those that may be asked for by name; {@code host} is never among them by itself
 * @param queue how much users may put into the queue
 */
public record JobDefaults(
        String image,
        @Nullable Duration timeLimit,
        @Nullable Duration maxTimeLimit,
        @Nullable Long memoryBytes,
        @Nullable Integer cpuMilli,
        @Nullable Long shmBytes,
        String network,
        List<String> networks,
        PullPolicy pull,
        QueueBounds queue) {
    public JobDefaults {
        networks = List.copyOf(networks);
    }

    /** The built-in ones. */
    public static JobDefaults of(String image) {
        return new JobDefaults(
                image,
                null,
                null,
                null,
                null,
                null,
                JobOptions.BRIDGE,
                List.of(JobOptions.BRIDGE, "none"),
                PullPolicy.MISSING,
                QueueBounds.BUILT_IN);
    }
}
