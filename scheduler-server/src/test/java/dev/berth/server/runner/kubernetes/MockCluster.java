package dev.berth.server.runner.kubernetes;

import dev.berth.testclient.PlayedApiServer;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A cluster whose controllers and nodes the tests play. */
final class MockCluster implements AutoCloseable {
    private final Map<String, String> logs = new ConcurrentHashMap<>();
    private final PlayedApiServer server =
            new PlayedApiServer((pod, container) -> Optional.ofNullable(logs.get(pod + "/" + container)));
    private final KubernetesClient client = server.client();
    private final Queue<KubernetesEngine> engines = new ConcurrentLinkedQueue<>();

    KubernetesClient client() {
        return client;
    }

    /** The API server. */
    PlayedApiServer server() {
        return server;
    }

    /** An engine that lists all at each look, so that it knows of what a test has done before. */
    KubernetesEngine engine(KubernetesSettings settings, InstantSource clock) {
        return engine(settings, clock, Duration.ZERO);
    }

    /** One that watches changes, as servers have it, and knows of them a moment later. */
    KubernetesEngine watching(KubernetesSettings settings, InstantSource clock) {
        return engine(settings, clock, Watched.GOOD_FOR);
    }

    private KubernetesEngine engine(KubernetesSettings settings, InstantSource clock, Duration goodFor) {
        KubernetesEngine engine = new KubernetesEngine(Handovers.server(), settings, client, clock, goodFor);
        engines.add(engine);
        return engine;
    }

    /** Makes the namespace that all is in; what the engine makes there needs none here. */
    void makeNamespace() {
        var _ = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("lab")
                        .endMetadata()
                        .build())
                .create();
    }

    /** Sets all that a pod has written, with time stamps. */
    void log(String pod, String lines) {
        logs.put(pod + "/job", lines);
    }

    /** The same of what its program told of itself. */
    void track(String pod, String lines) {
        logs.put(pod + "/track", lines);
    }

    // ---- what controllers and nodes do ----------------------------------------------------------------------------

    Job job(String name) {
        return client.batch().v1().jobs().inNamespace("lab").withName(name).get();
    }

    /** The controller of Jobs makes the pod of one. */
    Pod makePod(String job) {
        Job made = job(job);
        Map<String, String> labels =
                new HashMap<>(made.getSpec().getTemplate().getMetadata().getLabels());
        labels.put("job-name", job);
        labels.put("batch.kubernetes.io/job-name", job);
        return client.pods()
                .inNamespace("lab")
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(job + "-x7k2p")
                        .withNamespace("lab")
                        .withLabels(labels)
                        .endMetadata()
                        .withSpec(made.getSpec().getTemplate().getSpec())
                        .withNewStatus()
                        .withPhase("Pending")
                        .endStatus()
                        .build())
                .create();
    }

    /** Its program runs. */
    void start(String job) {
        makePod(job);
        running(job);
    }

    /** It has ended. */
    void end(String job, int exitCode) {
        ended(job, exitCode, exitCode == 0 ? "Completed" : "Error");
        over(job, exitCode == 0 ? "Complete" : "Failed", "");
    }

    Pod pod(String job) {
        return client.pods().inNamespace("lab").withName(job + "-x7k2p").get();
    }

    void editPod(String job, UnaryOperator<PodBuilder> edit) {
        client.pods()
                .inNamespace("lab")
                .withName(job + "-x7k2p")
                .edit(pod -> edit.apply(new PodBuilder(pod)).build());
    }

    void editJob(String name, UnaryOperator<JobBuilder> edit) {
        client.batch()
                .v1()
                .jobs()
                .inNamespace("lab")
                .withName(name)
                .edit(job -> edit.apply(new JobBuilder(job)).build());
    }

    void status(String job, String phase, UnaryOperator<ContainerStatusBuilder> container) {
        editPod(
                job,
                pod -> pod.editSpec()
                        .withNodeName("gpu-01")
                        .endSpec()
                        .editOrNewStatus()
                        .withPhase(phase)
                        .withContainerStatuses(container
                                .apply(new ContainerStatusBuilder().withName("job"))
                                .build())
                        .endStatus());
    }

    void running(String job) {
        status(
                job,
                "Running",
                container -> container
                        .withNewState()
                        .withNewRunning("2026-11-28T12:01:00Z")
                        .endState());
    }

    void waiting(String job, String reason, @Nullable String message) {
        status(
                job,
                "Pending",
                container ->
                        container.withNewState().withNewWaiting(message, reason).endState());
    }

    void ended(String job, int exitCode, String reason) {
        status(
                job,
                exitCode == 0 ? "Succeeded" : "Failed",
                container -> container
                        .withNewState()
                        .withNewTerminated()
                        .withExitCode(exitCode)
                        .withReason(reason)
                        .withStartedAt("2026-11-28T12:01:00Z")
                        .withFinishedAt("2026-11-28T12:05:00Z")
                        .endTerminated()
                        .endState());
    }

    /** The controller of Jobs says that one is over. */
    void over(String job, String type, String reason) {
        editJob(
                job,
                made -> made.editOrNewStatus()
                        .addNewCondition()
                        .withType(type)
                        .withStatus("True")
                        .withReason(reason)
                        .withLastTransitionTime("2026-11-28T12:05:01Z")
                        .endCondition()
                        .endStatus());
    }

    /** The cluster removes what belongs to Jobs that are gone. */
    void collectGarbage() {
        Set<String> jobs = new HashSet<>();
        client.batch()
                .v1()
                .jobs()
                .inNamespace("lab")
                .list()
                .getItems()
                .forEach(job -> jobs.add(job.getMetadata().getName()));
        client.pods().inNamespace("lab").list().getItems().stream()
                .filter(pod -> !jobs.contains(AttemptLabels.jobOf(pod)))
                .forEach(pod -> client.resource(pod).delete());
        client.secrets().inNamespace("lab").list().getItems().stream()
                .filter(secret -> secret.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> !jobs.contains(owner.getName())))
                .forEach(secret -> client.resource(secret).delete());
    }

    @Override
    public void close() {
        engines.forEach(KubernetesEngine::close);
        server.close();
    }
}
