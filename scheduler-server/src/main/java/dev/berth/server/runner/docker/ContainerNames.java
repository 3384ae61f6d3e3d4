package dev.berth.server.runner.docker;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The names and labels of one server's containers.
 *
 * @param server the server's id, kept in its database: containers of another server are none of ours
 */
public record ContainerNames(String server) {
    public static final String SERVER_LABEL = "dev.berth.server";
    public static final String JOB_LABEL = "dev.berth.job";
    public static final String ATTEMPT_LABEL = "dev.berth.attempt";
    public static final String GPUS_LABEL = "dev.berth.gpus";

    /** The data directory, by which the first server in a new one finds what still runs of an earlier one. */
    public static final String DIRECTORY_LABEL = "dev.berth.directory";

    /** The value of that label: another spelling of a path is the same directory. */
    public static String directory(Path data) {
        return data.toAbsolutePath().normalize().toString();
    }

    /** The name of one attempt's container. */
    public String of(Attempt attempt) {
        return "berth-" + server + "-" + attempt.job() + "-" + attempt.number();
    }

    /**
     * The attempt that a container belongs to, empty where it is none of this server's. Labels alone prove nothing:
     * {@code docker commit} bakes them into images, and whatever is run from such an image bears them too. The name is
     * assigned once.
     */
    public Optional<Attempt> owner(String containerName, Map<String, String> labels) {
        try {
            JobId job = new JobId(Long.parseLong(labels.getOrDefault(JOB_LABEL, "")));
            Attempt attempt = new Attempt(job, Integer.parseInt(labels.getOrDefault(ATTEMPT_LABEL, "")));
            return of(attempt).equals(containerName) ? Optional.of(attempt) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The labels of one attempt's container. */
    public Map<String, String> labels(Attempt attempt, Allocation allocation) {
        return Map.of(
                SERVER_LABEL,
                server,
                JOB_LABEL,
                attempt.job().toString(),
                ATTEMPT_LABEL,
                Integer.toString(attempt.number()),
                GPUS_LABEL,
                allocation.uuids());
    }

    /** The GPUs that a container's labels name: it has them for as long as it runs, whatever the books say. */
    public static List<GpuId> gpus(Map<String, String> labels) {
        String uuids = labels.getOrDefault(GPUS_LABEL, "");
        return uuids.isEmpty()
                ? List.of()
                : Stream.of(uuids.split(",")).map(GpuId::new).toList();
    }
}
