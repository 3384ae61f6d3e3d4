package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.PYTHON;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static dev.berth.server.runner.kubernetes.Handovers.handed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Limits;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End;
import dev.berth.server.runner.target.TargetEngine.Finding;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an API server does with what the engine asks of it: the mock server and a real one alike. Pods are made and moved by the test
 * as controllers and nodes do it, so that an API server alone is enough.
 */
abstract class KubernetesContract {
    private static final Handed JOB = handed(7);

    /** Of one who may do all. */
    abstract KubernetesClient client();

    /** A namespace of the test's own. */
    abstract String namespace();

    @BeforeEach
    void makeNamespace() {
        if (client().namespaces().withName(namespace()).get() == null) {
            client().resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(namespace())
                            .endMetadata()
                            .build())
                    .create();
        }
    }

    private KubernetesSettings settings(@Nullable String queue, Nodes nodes, SnapshotWay way) {
        return new KubernetesSettings(
                SETTINGS.access(),
                namespace(),
                queue,
                nodes,
                List.of("registry"),
                way,
                SETTINGS.startDeadline(),
                SETTINGS.callDeadline());
    }

    private KubernetesEngine engine(KubernetesSettings settings) {
        return new KubernetesEngine(Handovers.server(), settings, client(), () -> NOW, Duration.ZERO);
    }

    private KubernetesEngine engine() {
        return engine(settings(null, Nodes.ANY, SETTINGS.snapshots()));
    }

    private @Nullable Job job() {
        return client().batch()
                .v1()
                .jobs()
                .inNamespace(namespace())
                .withName(JOB.name())
                .get();
    }

    private Pod makePod() {
        Job job = Objects.requireNonNull(job());
        Map<String, String> labels =
                new HashMap<>(job.getSpec().getTemplate().getMetadata().getLabels());
        labels.put("job-name", JOB.name());
        return client().pods()
                .inNamespace(namespace())
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(JOB.name() + "-x7k2p")
                        .withLabels(labels)
                        .endMetadata()
                        .withNewSpecLike(job.getSpec().getTemplate().getSpec())
                        .withNodeName("berth-test-node")
                        .endSpec()
                        .build())
                .create();
    }

    private void status(String phase, UnaryOperator<ContainerStatusBuilder> container) {
        client().pods()
                .inNamespace(namespace())
                .withName(JOB.name() + "-x7k2p")
                .editStatus(pod -> new PodBuilder(pod)
                        .withStatus(new PodStatusBuilder()
                                .withPhase(phase)
                                .withContainerStatuses(container
                                        .apply(new ContainerStatusBuilder()
                                                .withName("job")
                                                .withImage("python:3.13")
                                                .withImageID("")
                                                .withReady(false)
                                                .withRestartCount(0))
                                        .build())
                                .build())
                        .build());
    }

    private Phase look() {
        return Objects.requireNonNull(engine().look(List.of(JOB)).get(JOB));
    }

    /** As the cluster does it where somebody collects garbage: by the reference to the owner. */
    private List<String> secretsOf(String uid) {
        return client().secrets().inNamespace(namespace()).list().getItems().stream()
                .filter(secret -> secret.getMetadata().getOwnerReferences().stream()
                        .map(OwnerReference::getUid)
                        .anyMatch(uid::equals))
                .map(secret -> secret.getMetadata().getName())
                .toList();
    }

    @Test
    void everyKindOfJobIsTaken(@TempDir Path volume) {
        Nodes nodes = new Nodes(
                Map.of("kubernetes.io/arch", "amd64"),
                List.of(
                        new Toleration("nvidia.com/gpu", null, "NoSchedule", null),
                        new Toleration("team", "ships", null, null)),
                "nvidia",
                "nvidia.com/gpu",
                Map.of("a100", Map.of("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB")));
        Resources large = new Resources(
                GpuRequest.whole(8),
                new GpuTraits(null, "a100", List.of()),
                4_000,
                8L << 30,
                0,
                new Guarantee(1_500, 2L << 30));
        InContainer place =
                new InContainer("", "python:3.13", PullPolicy.ALWAYS, "/data", 1L << 30, InContainer.BRIDGE, List.of());
        List<JobSpec> specs = List.of(
                Handovers.gpus(0),
                Handovers.gpus(1),
                Handovers.spec(place, large, new Limits(Duration.ofDays(3650), null, null, Duration.ofHours(1))));
        List<SnapshotWay> ways = List.of(
                SETTINGS.snapshots(),
                new SnapshotWay.ByLink("https://berth.example.org:5555", "debian:13"),
                new SnapshotWay.OnVolume("shared", volume, "debian:13"));
        List<Handed> all = new ArrayList<>();
        for (JobSpec spec : specs) {
            for (SnapshotWay way : ways) {
                Handover handover = Handovers.of(100 + all.size(), spec);
                all.add(handover.handed());
                engine(settings(null, nodes, way)).handOver(Handovers.with(handover, Handovers.snapshot("files")));
            }
        }
        assertThat(engine().look(all).values()).allMatch(phase -> phase instanceof Phase.Waiting);
        all.forEach(engine()::discard);
        assertThat(engine().look(all).values()).containsOnly(new Phase.Unknown());
    }

    @Test
    void theLargestDirectoryOfASecretIsTaken() {
        byte[] packed = new byte[SnapshotArchives.MAX_PACKED_BYTES - 1_000];
        new SplittableRandom(7).nextBytes(packed);
        engine().handOver(Handovers.with(Handovers.of(7), Handovers.snapshot(packed)));
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        engine().discard(JOB);
    }

    @Test
    void aJobIsMadeOnceWithSecretsThatAreItsOwn() {
        Handover handover = Handovers.with(Handovers.of(7), Handovers.snapshot("files"));
        engine().handOver(handover);
        String uid = Objects.requireNonNull(job()).getMetadata().getUid();
        engine().handOver(handover);
        assertThat(Objects.requireNonNull(job()).getMetadata().getUid()).isEqualTo(uid);
        assertThat(secretsOf(uid)).containsExactlyInAnyOrder(JOB.name(), JOB.name() + "-snapshot");
        Secret variables =
                client().secrets().inNamespace(namespace()).withName(JOB.name()).get();
        assertThat(variables.getData()).containsEntry("LR", "MC4x");
        engine().discard(JOB);
    }

    @Test
    void anAttemptGoesFromItsQueueToItsEnd() {
        engine().handOver(Handovers.of(7));
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        makePod();
        status(
                "Pending",
                container -> container
                        .withNewState()
                        .withNewWaiting("", "ContainerCreating")
                        .endState());
        assertThat(look())
                .isEqualTo(new Phase.Waiting(
                        JOB.name(), false, "its container is made, or its image pulled, on node berth-test-node"));
        status(
                "Running",
                container -> container
                        .withNewState()
                        .withNewRunning("2026-11-28T12:01:00Z")
                        .endState());
        assertThat(look())
                .isEqualTo(new Phase.Alive(JOB.name(), Instant.parse("2026-11-28T12:01:00Z"), "berth-test-node"));
        status(
                "Failed",
                container -> container
                        .withNewState()
                        .withNewTerminated()
                        .withContainerID("containerd://c1")
                        .withExitCode(3)
                        .withReason("Error")
                        .withStartedAt("2026-11-28T12:01:00Z")
                        .withFinishedAt("2026-11-28T12:05:00Z")
                        .endTerminated()
                        .endState());
        assertThat(look()).isInstanceOfSatisfying(Phase.Over.class, over -> {
            assertThat(over.end()).isEqualTo(new End.Exited(3, false));
            assertThat(over.endedAt()).isEqualTo(Instant.parse("2026-11-28T12:05:00Z"));
        });
        removePod();
        engine().discard(JOB);
    }

    private void removePod() {
        client().pods()
                .inNamespace(namespace())
                .withName(JOB.name() + "-x7k2p")
                .withGracePeriod(0)
                .delete();
    }

    @Test
    void aJobThatCannotStartIsGivenUp() {
        engine().handOver(Handovers.of(7));
        makePod();
        status(
                "Pending",
                container -> container
                        .withNewState()
                        .withNewWaiting("Couldn't parse image", "InvalidImageName")
                        .endState());
        assertThat(look())
                .isInstanceOfSatisfying(
                        Phase.Waiting.class,
                        waiting -> assertThat(waiting.words())
                                .isEqualTo(
                                        "Kubernetes cannot pull the image (InvalidImageName): Couldn't parse image; it"
                                                + " is given up"));
        Job given = Objects.requireNonNull(job());
        assertThat(given.getSpec().getActiveDeadlineSeconds()).isEqualTo(1);
        assertThat(given.getMetadata().getAnnotations()).containsEntry("dev.berth/end", "IMAGE_UNAVAILABLE");
        removePod();
        engine().discard(JOB);
    }

    @Test
    void aCancelRemovesTheJobAndItsPod() {
        engine().handOver(Handovers.of(7));
        makePod();
        engine().cancel(JOB, Duration.ZERO);
        assertThat(job()).isNull();
        removePod();
        assertThat(look()).isEqualTo(new Phase.Unknown());
        engine().discard(JOB);
    }

    @Test
    void whatTheServerFindsInvalidIsRefusedForGood() {
        Nodes wrong = new Nodes(Map.of("pool", "not a label"), List.of(), null, "nvidia.com/gpu", Map.of());
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() ->
                        engine(settings(null, wrong, SETTINGS.snapshots())).handOver(Handovers.of(7)))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .withMessageStartingWith("Kubernetes does not take the job: ");
        assertThat(job()).isNull();
    }

    @Test
    void aJobOfAnotherServerIsNotTouched() {
        KubernetesSettings settings = settings(null, Nodes.ANY, SETTINGS.snapshots());
        KubernetesEngine other =
                new KubernetesEngine(Handovers.server("other"), settings, client(), () -> NOW, Duration.ZERO);
        other.handOver(Handovers.of(7));
        assertThat(look()).isEqualTo(new Phase.Unknown());
        engine().cancel(JOB, Duration.ZERO);
        assertThat(job()).isNotNull();
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> engine().handOver(Handovers.of(7)))
                .withMessageContaining("that this server did not make");
        other.discard(JOB);
        assertThat(job()).isNull();
    }

    @Test
    void theServerMayWhatItNeeds() {
        assertThat(engine().health().isWell()).isTrue();
        assertThat(engine().examine(Handovers.ADA))
                .filteredOn(
                        finding -> List.of("API server", "namespace", "rights").contains(finding.name()))
                .hasSize(3)
                .allMatch(Finding::isWell);
    }

    @Test
    void theShortestLimitIsTaken() {
        Resources none = Resources.of(GpuRequest.NONE);
        engine().handOver(Handovers.of(7, Handovers.spec(PYTHON, none, new Limits(Duration.ofMillis(1), null))));
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        engine().discard(JOB);
    }
}
