package dev.berth.server.container;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.JobId;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How the containers of one server are named and labelled.
 *
 * @param server the server's id, kept in its database: containers of another server are none of ours
 */
public record ContainerNames(String server) {
    public static final String SERVER_LABEL = "dev.berth.server";
    public static final String JOB_LABEL = "dev.berth.job";
    public static final String ATTEMPT_LABEL = "dev.berth.attempt";
    public static final String GPUS_LABEL = "dev.berth.gpus";

    /** The name of one attempt's container. */
    public String of(JobId job, int attempt) {
        return "berth-" + server + "-" + job + "-" + attempt;
    }

    /** The labels of one attempt's container. */
    public Map<String, String> labels(JobId job, int attempt, Allocation allocation) {
        return Map.of(
                SERVER_LABEL,
                server,
                JOB_LABEL,
                job.toString(),
                ATTEMPT_LABEL,
                Integer.toString(attempt),
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
