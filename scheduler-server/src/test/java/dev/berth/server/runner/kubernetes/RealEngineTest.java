package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;

import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.server.runner.target.TargetEngineContract;
import dev.berth.testclient.SlurmCluster;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of engines at a real cluster: its API server, controllers and scheduler, and a kubelet that the test plays. Run as
 * {@link RealControllersTest} is, with the same node; the API server has to reach this machine's {@code 127.0.0.1}.
 */
@Tag("kubernetes")
class RealEngineTest extends TargetEngineContract {
    private final KubernetesClient client = RealClusterTest.open();

    /** Deleted pods of one test are no concern of the next. */
    private final String namespace =
            "berth-engine-" + UUID.randomUUID().toString().substring(0, 8);

    @TempDir
    private Path directory;

    private PlayedKubelet kubelet;

    @BeforeEach
    void makeNamespace() throws IOException {
        var _ = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create();
        kubelet = new PlayedKubelet(client, namespace, directory);
    }

    @Override
    protected void close() {
        kubelet.close();
        var _ = client.namespaces().withName(namespace).delete();
        client.close();
    }

    @Override
    protected TargetEngine begin() {
        return new KubernetesEngine(Handovers.server(), Handovers.in(namespace), client, () -> NOW, Watched.GOOD_FOR);
    }

    /** This cluster's version has to have sidecars. */
    @Override
    protected boolean isTracked() {
        return TrackPlan.isPossible(client.getKubernetesVersion());
    }

    @Override
    protected Handover job(long number) {
        return Handovers.of(number);
    }

    private Optional<Pod> pod(Handed one) {
        return client.pods().inNamespace(namespace).list().getItems().stream()
                .filter(pod -> AttemptLabels.jobOf(pod).equals(one.name()))
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .findFirst();
    }

    @Override
    protected void start(Handed one) {
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

    @Override
    protected void write(Handed one, Stream stream, String line) {
        kubelet.write(
                pod(one).orElseThrow(),
                stream == Stream.TRACK ? TrackPlan.CONTAINER : PodManifest.CONTAINER,
                "2026-11-28T12:01:00.1Z " + line);
    }

    @Override
    protected void end(Handed one, int exitCode) {
        PlayedKubelet.ended(client, pod(one).orElseThrow(), exitCode);
    }

    @Override
    protected int count(Handed one) {
        return (int) client.batch().v1().jobs().inNamespace(namespace).list().getItems().stream()
                .filter(job -> job.getMetadata().getName().equals(one.name()))
                .count();
    }
}
