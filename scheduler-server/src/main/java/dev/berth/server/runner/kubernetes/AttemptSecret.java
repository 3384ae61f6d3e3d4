package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes the Secrets of an attempt: one with its program's variables, and one with its directory or the link to it, which the
 * program does not see. They belong to its Job and go with it.
 */
record AttemptSecret(KubernetesSettings settings, AttemptLabels labels) {
    /** A Secret holds 1 MiB in all (kubernetes.io, "Secrets"). */
    private static final int MAX_BYTES = 1_000_000;

    static String snapshotName(Handed handed) {
        return handed.name() + "-snapshot";
    }

    /**
     * The Secret of the program's variables, still without its Job.
     *
     * @throws EngineException where they are too large
     */
    Secret environment(Handover handover) {
        Map<String, String> values = new LinkedHashMap<>();
        long bytes = 0;
        for (Map.Entry<String, String> variable :
                AttemptEnvironment.secret(handover).entrySet()) {
            byte[] value = variable.getValue().getBytes(UTF_8);
            bytes += variable.getKey().length() + value.length;
            values.put(variable.getKey(), Base64.getEncoder().encodeToString(value));
        }
        if (bytes > MAX_BYTES) {
            throw new EngineException(
                    EngineException.Kind.REFUSED,
                    "the job's variables take " + bytes + " bytes, and Kubernetes keeps at most " + MAX_BYTES
                            + " of them: pass large values in a file of the job's directory");
        }
        return of(handover.handed(), handover.handed().name(), values);
    }

    /** The Secret by which the directory comes, of one key. */
    Secret snapshot(Handover handover, String key, byte[] value) {
        return of(
                handover.handed(),
                snapshotName(handover.handed()),
                Map.of(key, Base64.getEncoder().encodeToString(value)));
    }

    private Secret of(Handed handed, String name, Map<String, String> values) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(settings.namespace())
                .withLabels(labels.of(handed))
                .endMetadata()
                .withType("Opaque")
                // A node may keep an immutable one for later pods, though it is deleted (kubernetes.io, "Immutable
                // Secrets").
                .withImmutable(false)
                .withData(values)
                .build();
    }

    /** The Secret as one that goes with its Job. */
    static Secret ownedBy(Secret secret, Job job) {
        return new SecretBuilder(secret)
                .editMetadata()
                .addNewOwnerReference()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withName(job.getMetadata().getName())
                .withUid(job.getMetadata().getUid())
                .endOwnerReference()
                .endMetadata()
                .build();
    }
}
