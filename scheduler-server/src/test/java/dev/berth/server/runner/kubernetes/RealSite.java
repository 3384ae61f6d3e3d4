package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;

import dev.berth.server.runner.target.Handed;
import dev.berth.testclient.SlurmCluster;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * A namespace of its own at a real cluster: its API server, controllers and scheduler, and a kubelet that is played. The node {@code
 * berth-test-node} has to be there and no other beside it, and the API server has to reach this machine's {@code 127.0.0.1}.
 */
final class RealSite implements AutoCloseable {
    private final KubernetesClient client = RealClusterTest.open();

    /** Deleted pods of one test are no concern of the next. */
    private final String namespace =
            "berth-engine-" + UUID.randomUUID().toString().substring(0, 8);

    private final PlayedKubelet kubelet;

    /** Makes one, with files of the kubelet's in a directory. */
    RealSite(Path directory) throws IOException {
        var _ = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create();
        kubelet = new PlayedKubelet(client, namespace, directory);
    }

    /** An engine for it, of which all have the same client. */
    KubernetesEngine engine() {
        return new KubernetesEngine(Handovers.server(), Handovers.in(namespace), client, () -> NOW, Watched.GOOD_FOR);
    }

    /** Whether what programs tell of themselves comes back from a cluster of this version. */
    boolean isTracked() {
        return TrackPlan.isPossible(client.getKubernetesVersion());
    }

    /** The pod of an attempt that has a node. */
    Optional<Pod> pod(Handed one) {
        return client.pods().inNamespace(namespace).list().getItems().stream()
                .filter(pod -> AttemptLabels.jobOf(pod).equals(one.name()))
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .findFirst();
    }

    /** Lets its program run, once the cluster has a pod and a node for it. */
    void start(Handed one) {
        while (pod(one).isEmpty()) {
            SlurmCluster.pause();
        }
        PlayedKubelet.status(
                client,
                pod(one).orElseThrow(),
                "Running",
                container -> container
                        .withNewState()
                        .withNewRunning("2026-11-28T12:01:00Z")
                        .endState());
    }

    /** Lets one of its containers write. */
    void write(Handed one, String container, String line) {
        kubelet.write(pod(one).orElseThrow(), container, "2026-11-28T12:01:00.1Z " + line);
    }

    /** Lets its program end. */
    void end(Handed one, int exitCode) {
        PlayedKubelet.ended(client, pod(one).orElseThrow(), exitCode);
    }

    /** How many Jobs of its name there are. */
    int count(Handed one) {
        return (int) client.batch().v1().jobs().inNamespace(namespace).list().getItems().stream()
                .filter(job -> job.getMetadata().getName().equals(one.name()))
                .count();
    }

    @Override
    public void close() {
        kubelet.close();
        var _ = client.namespaces().withName(namespace).delete();
        client.close();
    }
}
