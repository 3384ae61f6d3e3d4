package dev.berth.server.config;

import dev.berth.core.job.PullPolicy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds for jobs that say nothing else, and what they may say.
 *
 * @param image the image of a job that names none
 * @param timeLimit null for no limit, as for the other limits
 * @param maxTimeLimit the longest that a job may ask for
 * @param shmSize null for a share of the machine's memory
 * @param networks the networks that a job may name
 * @param stopGrace how long a program has after {@code SIGTERM}
 * @param orphanGrace how long a container that belongs to no job is left alone
 */
public record JobSettings(
        String image,
        @Nullable Duration timeLimit,
        @Nullable Duration maxTimeLimit,
        @Nullable ByteSize memory,
        @Nullable BigDecimal cpus,
        @Nullable ByteSize shmSize,
        String network,
        List<String> networks,
        PullPolicy pull,
        int maxQueuedPerUser,
        ByteSize maxSpecBytes,
        ByteSize maxQueuedBytesPerUser,
        Duration stopGrace,
        Duration orphanGrace) {
    public JobSettings {
        networks = List.copyOf(networks);
    }

    static JobSettings of(Values values) {
        return new JobSettings(
                values.get(Keys.JOB_IMAGE),
                values.find(Keys.TIME_LIMIT),
                values.find(Keys.MAX_TIME_LIMIT),
                values.find(Keys.MEMORY),
                values.find(Keys.CPUS),
                values.find(Keys.SHM_SIZE),
                values.get(Keys.JOB_NETWORK),
                values.get(Keys.NETWORKS),
                values.get(Keys.PULL),
                values.get(Keys.MAX_QUEUED_PER_USER),
                values.get(Keys.MAX_SPEC_BYTES),
                values.get(Keys.MAX_QUEUED_BYTES_PER_USER),
                values.get(Keys.STOP_GRACE),
                values.get(Keys.ORPHAN_GRACE));
    }
}
