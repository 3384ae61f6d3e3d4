package dev.berth.core.job;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a job asks for beyond what queues and lists go by.
 *
 * @param tags words of the submitter's, to find the job again
 * @param pull when its image is pulled
 * @param workingDirectory where in the container the program starts, or null for the workspace
 * @param cpuMilli thousandths of a CPU that it may use, or null for all
 * @param memoryBytes memory that it may use, or null for all
 * @param shmBytes size of /dev/shm, or null for the server's choice
 * @param network the engine's network it is on
 * @param mounts paths of the machine that it sees
 * @param requeue whether it goes back to its place when the machine loses it
 * @param resubmitOf the job that this one repeats, or null
 * @param traits which GPUs will do
 * @param host where it runs on the machine itself, or null for a container
 * @param idleTimeout how long it may leave all its GPUs idle, or null for as long as it likes
 */
public record JobOptions(
        List<String> tags,
        PullPolicy pull,
        @Nullable String workingDirectory,
        @Nullable Integer cpuMilli,
        @Nullable Long memoryBytes,
        @Nullable Long shmBytes,
        String network,
        List<Mount> mounts,
        boolean requeue,
        @Nullable Long resubmitOf,
        GpuTraits traits,
        @Nullable HostRun host,
        @Nullable Duration idleTimeout) {
    /** The engine's own network of that name. */
    public static final String BRIDGE = "bridge";

    public static final JobOptions NONE =
            new JobOptions(List.of(), PullPolicy.MISSING, null, null, null, null, BRIDGE, List.of(), false, null);

    public JobOptions {
        tags = List.copyOf(tags);
        mounts = List.copyOf(mounts);
        // A job of before GPUs could be told apart has no word about them.
        traits = Objects.requireNonNullElse(traits, GpuTraits.ANY);
    }

    /** Those of a job in a container that takes any GPU and may leave it idle. */
    public JobOptions(
            List<String> tags,
            PullPolicy pull,
            @Nullable String workingDirectory,
            @Nullable Integer cpuMilli,
            @Nullable Long memoryBytes,
            @Nullable Long shmBytes,
            String network,
            List<Mount> mounts,
            boolean requeue,
            @Nullable Long resubmitOf) {
        this(
                tags,
                pull,
                workingDirectory,
                cpuMilli,
                memoryBytes,
                shmBytes,
                network,
                mounts,
                requeue,
                resubmitOf,
                GpuTraits.ANY,
                null,
                null);
    }

    /** The bytes of its texts in UTF-8. */
    long bytes() {
        long bytes = Utf8.length(network)
                + (workingDirectory == null ? 0 : Utf8.length(workingDirectory))
                + (traits.type() == null ? 0 : Utf8.length(traits.type()))
                + (host == null ? 0 : Utf8.length(host.directory()));
        for (Mount mount : mounts) {
            bytes += Utf8.length(mount.source()) + Utf8.length(mount.target());
        }
        return bytes + Utf8.length(tags) + Utf8.length(traits.labels());
    }

    /** The same for a job that repeats another. */
    public JobOptions repeating(JobId job) {
        return new JobOptions(
                tags,
                pull,
                workingDirectory,
                cpuMilli,
                memoryBytes,
                shmBytes,
                network,
                mounts,
                requeue,
                job.value(),
                traits,
                host,
                idleTimeout);
    }

    /** The same for other GPUs. */
    public JobOptions with(GpuTraits others) {
        return new JobOptions(
                tags,
                pull,
                workingDirectory,
                cpuMilli,
                memoryBytes,
                shmBytes,
                network,
                mounts,
                requeue,
                resubmitOf,
                others,
                host,
                idleTimeout);
    }
}
