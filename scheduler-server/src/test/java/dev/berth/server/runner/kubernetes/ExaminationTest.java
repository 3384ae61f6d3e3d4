package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.TargetEngine.Finding;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is missing in a cluster is found before a job is handed over, with the command that mends it. */
class ExaminationTest {
    private final MockCluster cluster = new MockCluster();

    @BeforeEach
    void furnish() {
        cluster.makeNamespace();
        node("gpu-01", 4);
        node("gpu-02", 8);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void node(String name, int gpus) {
        cluster.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .endSpec()
                        .withNewStatus()
                        .addToAllocatable("cpu", new Quantity("31500m"))
                        .addToAllocatable("nvidia.com/gpu", new Quantity(Integer.toString(gpus)))
                        .endStatus()
                        .build())
                .create();
    }

    private void queue(String strategy) {
        resource("ClusterQueue", "all", null, Map.of("queueingStrategy", strategy));
        resource("LocalQueue", "gpus", "lab", Map.of("clusterQueue", "all"));
    }

    private void resource(String kind, String name, @Nullable String namespace, Map<String, String> spec) {
        GenericKubernetesResource resource = new GenericKubernetesResourceBuilder()
                .withApiVersion("kueue.x-k8s.io/v1beta1")
                .withKind(kind)
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .addToAdditionalProperties("spec", spec)
                .build();
        var all = cluster.client()
                .genericKubernetesResources(
                        ClusterHealth.kind("v1beta1", kind, kind.toLowerCase(Locale.ROOT) + "s", namespace != null));
        (namespace == null ? all : all.inNamespace(namespace))
                .resource(resource)
                .create();
    }

    private Finding finding(KubernetesSettings settings, String name) {
        return cluster.engine(settings, () -> NOW).examine(Handovers.ADA).stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aClusterThatHasAllIsWell() {
        assertThat(cluster.engine(SETTINGS, () -> NOW).examine(Handovers.ADA))
                .allMatch(Finding::isWell)
                .extracting(Finding::name)
                .containsExactly(
                        "API server",
                        "starts",
                        "namespace",
                        "rights",
                        "quota",
                        "GPUs",
                        "snapshots",
                        "results",
                        "metrics");
        assertThat(finding(SETTINGS, "GPUs").sentence()).isEqualTo("2 nodes, 63 cores, 12 GPUs");
    }

    @Test
    void anOlderClusterSaysWhichMetricsItReads() {
        cluster.server().minor("31");
        assertThat(finding(SETTINGS, "metrics").sentence())
                .isEqualTo("what programs write to $BERTH_TRACK is not read, as Kubernetes before 1.32 may have nodes"
                        + " without containers that end after the program; what they print is (--track stdout)");
        assertThat(finding(SETTINGS, "metrics").isWell()).isTrue();
    }

    @Test
    void aClusterThatMakesSecondPodsIsFound() {
        cluster.server().minor("25+");
        assertThat(finding(SETTINGS, "starts"))
                .isEqualTo(Finding.warning(
                        "starts",
                        "Kubernetes before 1.26 makes another pod where one is deleted or its node drained: a program begins"
                                + " a second time where that happens before this server has seen it run",
                        "bring the cluster to Kubernetes 1.26 or later"));
        cluster.server().minor("26");
        assertThat(finding(SETTINGS, "starts").isWell()).isTrue();
    }

    @Test
    void itsHealthSaysWhatItHoldsAndHowOrderGoes() {
        var health = cluster.engine(SETTINGS, () -> NOW).health();
        assertThat(health.isWell()).isTrue();
        assertThat(health.capacity()).isEqualTo("2 nodes, 63 cores, 12 GPUs");
        assertThat(health.order())
                .isEqualTo("Kubernetes decides: not first in, first out; a smaller job may start before a larger one");
        queue("StrictFIFO");
        assertThat(cluster.engine(Handovers.queued("gpus"), () -> NOW).health().order())
                .isEqualTo(
                        "first in, first out by Kueue (StrictFIFO), but for jobs that were handed over within the same"
                                + " second");
    }

    @Test
    void aServerThatMayNotSeeNodesSaysWhatTheNamespaceMayUse() {
        quota("4", "4");
        cluster.server().failNext("GET /api/v1/nodes", 403, "Forbidden", "nodes is forbidden");
        assertThat(cluster.engine(SETTINGS, () -> NOW).health().capacity())
                .isEqualTo("the namespace may use requests.nvidia.com/gpu 4");
    }

    private void quota(String hard, String used) {
        cluster.client()
                .resource(new ResourceQuotaBuilder()
                        .withNewMetadata()
                        .withName("few")
                        .withNamespace("lab")
                        .endMetadata()
                        .withNewSpec()
                        .addToHard("requests.nvidia.com/gpu", new Quantity(hard))
                        .endSpec()
                        .withNewStatus()
                        .addToHard("requests.nvidia.com/gpu", new Quantity(hard))
                        .addToUsed("requests.nvidia.com/gpu", new Quantity(used))
                        .endStatus()
                        .build())
                .create();
    }

    @Test
    void aMissingNamespaceIsFound() {
        cluster.client().namespaces().withName("lab").delete();
        assertThat(finding(SETTINGS, "namespace"))
                .isEqualTo(Finding.failure("namespace", "there is no namespace lab", "kubectl create namespace lab"));
    }

    @Test
    void missingRightsAreNamed() {
        cluster.server().forbid("create jobs");
        cluster.server().forbid("get pods/log");
        Finding rights = finding(SETTINGS, "rights");
        assertThat(rights.sentence()).isEqualTo("in namespace lab the server may not: create jobs, get pods/log");
        assertThat(rights.remedy()).contains("kubectl apply -f role.yaml, with the Role of docs/kubernetes.md");
    }

    @Test
    void aMissingQueueIsFound() {
        Finding missing = finding(Handovers.queued("gpus"), "queue");
        assertThat(missing.isWell()).isFalse();
        assertThat(missing.sentence()).startsWith("there is no LocalQueue gpus of Kueue in namespace lab");
        assertThat(missing.remedy()).contains("kubectl -n lab get localqueues.kueue.x-k8s.io");
    }

    @Test
    void aQueueInWhichLaterJobsMayOvertakeIsFound() {
        queue("BestEffortFIFO");
        Finding queue = finding(Handovers.queued("gpus"), "queue");
        assertThat(queue.sentence()).isEqualTo("the ClusterQueue of gpus is BestEffortFIFO: a later job may overtake");
        assertThat(queue.remedy())
                .hasValueSatisfying(remedy -> assertThat(remedy).contains("StrictFIFO"));
    }

    @Test
    void aQuotaThatIsUsedUpIsFound() {
        quota("4", "4");
        assertThat(finding(SETTINGS, "quota").sentence())
                .isEqualTo("quota few of requests.nvidia.com/gpu (4) is used up: jobs wait");
    }

    @Test
    void nodesWithoutGpusAreFound() {
        Nodes others = new Nodes(Map.of(), List.of(), null, "amd.com/gpu", Map.of());
        assertThat(finding(Handovers.on(others), "GPUs").sentence())
                .isEqualTo("no node has any amd.com/gpu: jobs that ask for GPUs would wait for ever");
    }

    @Test
    void aVolumeThatIsNotMountedHereIsFound() {
        SnapshotWay way = new SnapshotWay.OnVolume("shared", Path.of("/nowhere/shared"), "debian:13");
        assertThat(finding(Handovers.by(way), "snapshots"))
                .isEqualTo(Finding.failure(
                        "snapshots",
                        "the server cannot write to /nowhere/shared, where the volume of claim shared should be",
                        "mount the volume there"));
    }

    @Test
    void itSaysWhetherResultsComeBack() {
        SnapshotWay way = new SnapshotWay.OnVolume("shared", Path.of("/mnt/shared"), "debian:13");
        assertThat(finding(Handovers.by(way), "results").sentence())
                .isEqualTo("what programs leave in $BERTH_OUTPUT_DIR comes back by claim shared");
        assertThat(finding(SETTINGS, "results").sentence())
                .isEqualTo(
                        "what programs leave in files goes with their pods; with the target's setting snapshot: volume"
                                + " it comes back from $BERTH_OUTPUT_DIR");
    }

    @Test
    void aMissingPullSecretIsFound() {
        assertThat(finding(Handovers.on(Nodes.ANY, "registry"), "image pull secret registry")
                        .sentence())
                .isEqualTo("there is no Secret registry in namespace lab");
    }

    @Test
    void aClusterThatDoesNotAnswerIsAllThatIsSaid() {
        cluster.server().failNext("GET /version", 503, "ServiceUnavailable", "starting");
        assertThat(cluster.engine(SETTINGS, () -> NOW).examine(Handovers.ADA))
                .singleElement()
                .satisfies(one -> assertThat(one.sentence())
                        .isEqualTo("Kubernetes failed to ask for its version (503): starting"));
    }
}
