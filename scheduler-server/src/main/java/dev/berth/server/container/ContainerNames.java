package dev.berth.server.container;

import dev.berth.core.job.JobId;
import java.util.Map;

/**
 * How the containers of one server are named and labelled.
 *
 * @param server the server's id, kept in its database: containers of another server are none of ours
 */
public record ContainerNames(String server) {
    public static final String SERVER_LABEL = "dev.berth.server";
    public static final String JOB_LABEL = "dev.berth.job";
    public static final String ATTEMPT_LABEL = "dev.berth.attempt";

    /** The name of one attempt's container. */
    public String of(JobId job, int attempt) {
        return "berth-" + server + "-" + job + "-" + attempt;
    }

    /** The labels of one attempt's container. */
    public Map<String, String> labels(JobId job, int attempt) {
        return Map.of(SERVER_LABEL, server, JOB_LABEL, job.toString(), ATTEMPT_LABEL, Integer.toString(attempt));
    }
}
