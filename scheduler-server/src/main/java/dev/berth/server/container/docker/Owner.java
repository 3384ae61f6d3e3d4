package dev.berth.server.container.docker;

import dev.berth.core.job.JobId;
import dev.berth.server.container.ContainerNames;
import java.util.Map;
import java.util.Optional;

/**
 * Whose container one is. Labels alone prove nothing: {@code docker commit} bakes them into images, and whatever is run
 * from such an image bears them too. The name is given out once.
 */
record Owner(JobId job, int attempt) {
    /** The job a container belongs to, empty where it is none of this server's. */
    static Optional<Owner> of(ContainerNames names, String containerName, Map<String, String> labels) {
        try {
            JobId job = new JobId(Long.parseLong(labels.getOrDefault(ContainerNames.JOB_LABEL, "")));
            int attempt = Integer.parseInt(labels.getOrDefault(ContainerNames.ATTEMPT_LABEL, ""));
            return names.of(job, attempt).equals(containerName)
                    ? Optional.of(new Owner(job, attempt))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
