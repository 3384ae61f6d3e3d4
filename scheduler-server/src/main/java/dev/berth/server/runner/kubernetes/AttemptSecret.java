package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.berth.core.text.Utf8;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Makes the Secrets of an attempt: one with its program's variables, and one with its directory or the link to it, which the
 * program does not see. They belong to its Job and go with it.
 */
record AttemptSecret(KubernetesSettings settings, AttemptLabels labels) {
    /** A Secret holds 1 MiB in all (kubernetes.io, "Secrets"). */
    private static final int MAX_BYTES = 1_000_000;

    /** The reason why so many variables are not taken; empty where they are. */
    static Optional<String> refusal(Map<String, String> variables) {
        long bytes = Utf8.length(variables.keySet()) + Utf8.length(variables.values());
        return bytes <= MAX_BYTES
                ? Optional.empty()
                : Optional.of("the job's variables take " + bytes + " bytes, and Kubernetes keeps at most " + MAX_BYTES
                        + " of them: pass large values in a file of the job's directory");
    }

    static String snapshotName(Handed handed) {
        return handed.name() + "-snapshot";
    }

    /**
     * The Secret of the program's variables, still without its Job.
     *
     * @throws EngineException where they are too large
     */
    Secret environment(Handover handover) {
        Map<String, String> variables = AttemptEnvironment.secret(handover);
        refusal(variables).ifPresent(sentence -> {
            throw new EngineException(EngineException.Kind.REFUSED, sentence);
        });
        Map<String, String> values = new LinkedHashMap<>();
        variables.forEach((name, value) -> values.put(name, Base64.getEncoder().encodeToString(value.getBytes(UTF_8))));
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
