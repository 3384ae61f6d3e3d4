package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.Submitter;
import dev.berth.server.runner.target.Handed;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The labels by which one server's Jobs, pods and Secrets are found. They hold no text of a submitter's.
 *
 * @param server the server's id
 */
record AttemptLabels(String server) {
    static final String SERVER = "dev.berth/server";
    private static final String JOB = "dev.berth/job";
    private static final String ATTEMPT = "dev.berth/attempt";
    private static final String USER_ID = "dev.berth/uid";
    private static final String MANAGED_BY = "app.kubernetes.io/managed-by";

    /** Kubernetes' own label on the pods of a Job; the newer one, with a prefix, is beside it from 1.27 on. */
    private static final String JOB_NAME = "job-name";

    Map<String, String> of(Handed handed) {
        Submitter owner = handed.owner();
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put(MANAGED_BY, "berth");
        labels.put(SERVER, server);
        labels.put(JOB, handed.attempt().job().toString());
        labels.put(ATTEMPT, Integer.toString(handed.attempt().number()));
        labels.put(USER_ID, Long.toString(owner.uid()));
        return labels;
    }

    /** Whether this was made for the attempt: a name alone may be anybody's. */
    boolean areOn(HasMetadata resource, Handed handed) {
        Map<String, String> there = resource.getMetadata().getLabels();
        return there != null && there.entrySet().containsAll(of(handed).entrySet());
    }

    /** The name of the Job that a pod is of; empty where it says none. */
    static String jobOf(HasMetadata pod) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        return labels == null ? "" : labels.getOrDefault(JOB_NAME, "");
    }
}
