package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.Handed;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.ScalableResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The calls that all else is made of. Each has a deadline and may be repeated; what fails is a sentence.
 *
 * @param labels by which this server's own are found
 */
record ClusterCalls(KubernetesClient client, KubernetesSettings settings, AttemptLabels labels, Failures failures) {
    private static final int EVENTS = 500;

    String namespace() {
        return settings.namespace();
    }

    /** All Jobs of this server. */
    FilterWatchListDeletable<Job, JobList, ScalableResource<Job>> ownJobs() {
        return client.batch().v1().jobs().inNamespace(namespace()).withLabel(AttemptLabels.SERVER, labels.server());
    }

    /** All pods of this server. */
    FilterWatchListDeletable<Pod, PodList, PodResource> ownPods() {
        return client.pods().inNamespace(namespace()).withLabel(AttemptLabels.SERVER, labels.server());
    }

    /** From the API server's cache, of which watches tell as well. */
    static ListOptions cached() {
        return new ListOptionsBuilder().withResourceVersion("0").build();
    }

    /** The Job of an attempt as it is now; empty where there is none of its. */
    Optional<Job> job(Handed handed) {
        return failures.call(
                "read Jobs",
                () -> Optional.ofNullable(client.batch()
                                .v1()
                                .jobs()
                                .inNamespace(namespace())
                                .withName(handed.name())
                                .get())
                        .filter(job -> labels.areOn(job, handed)));
    }

    /** The pods of an attempt as they are now. */
    List<Pod> pods(Handed handed) {
        return pods(handed, new ListOptions());
    }

    /** The pods of an attempt as a list of all would have them. */
    List<Pod> podsInCache(Handed handed) {
        return pods(handed, cached());
    }

    private List<Pod> pods(Handed handed, ListOptions options) {
        return failures.call(
                "list pods",
                () -> client.pods()
                        .inNamespace(namespace())
                        .withLabels(labels.of(handed))
                        .list(options)
                        .getItems());
    }

    /** What was told lately of things in the namespace, for this reason; nothing where the server may not read that. */
    List<Event> events(String reason) {
        try {
            return client.v1()
                    .events()
                    .inNamespace(namespace())
                    .withField("reason", reason)
                    .list(new ListOptionsBuilder(cached())
                            .withLimit((long) EVENTS)
                            .build())
                    .getItems();
        } catch (KubernetesClientException e) {
            if (Failures.isForbidden(e)) {
                return List.of();
            }
            throw failures.of("list events", e);
        }
    }

    /** Makes a Secret, unless it is there. */
    void create(Secret secret) {
        try {
            client.secrets().inNamespace(namespace()).resource(secret).create();
        } catch (KubernetesClientException e) {
            if (!Failures.isConflict(e)) {
                throw failures.ofCreate(
                        "Secrets", "secrets", secret.getMetadata().getName(), e);
            }
        }
    }

    boolean hasSecret(String name) {
        return failures.call(
                "read Secrets",
                () -> client.secrets().inNamespace(namespace()).withName(name).get() != null);
    }

    void deleteSecret(String name) {
        failures.run(
                "delete Secrets",
                () -> client.secrets().inNamespace(namespace()).withName(name).delete());
    }

    /** Lets the cluster end a Job now, and notes why; the Job's record stays. */
    void end(Job job, Map<String, String> notes) {
        Job patch = new JobBuilder()
                .withNewMetadata()
                .withAnnotations(notes)
                .endMetadata()
                .withNewSpec()
                .withActiveDeadlineSeconds(1L)
                .endSpec()
                .build();
        failures.run(
                "change Jobs",
                () -> client.batch()
                        .v1()
                        .jobs()
                        .inNamespace(namespace())
                        .withName(job.getMetadata().getName())
                        .patch(PatchContext.of(PatchType.JSON_MERGE), patch));
    }

    /** Keeps a note with a Job; nothing where the Job is gone. */
    void note(String name, Map<String, String> notes) {
        Job patch = new JobBuilder()
                .withNewMetadata()
                .withAnnotations(notes)
                .endMetadata()
                .build();
        try {
            client.batch()
                    .v1()
                    .jobs()
                    .inNamespace(namespace())
                    .withName(name)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
        } catch (KubernetesClientException e) {
            if (!Failures.isNotFound(e)) {
                throw failures.of("change Jobs", e);
            }
        }
    }

    /** Deletes a Job; the cluster removes what belongs to it. Nothing where it is gone. */
    void delete(Job job) {
        failures.run(
                "delete Jobs",
                () -> client.batch()
                        .v1()
                        .jobs()
                        .inNamespace(namespace())
                        .withName(job.getMetadata().getName())
                        .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                        .delete());
    }

    /** Deletes a pod; its program has so long from TERM to KILL, where the pod was not made for less. */
    void delete(Pod pod, Duration grace) {
        failures.run(
                "delete pods",
                () -> client.pods()
                        .inNamespace(namespace())
                        .withName(pod.getMetadata().getName())
                        .withGracePeriod(grace.toSeconds())
                        .delete());
    }
}
