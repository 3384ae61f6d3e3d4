package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.PYTHON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.Limits;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Resources;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.testclient.SlurmCluster;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the controllers of a real cluster do with the engine's Jobs: with an API server, a controller manager and a scheduler, and
 * no kubelet, which the test plays. Run as {@link RealClusterTest} is; the node {@code berth-test-node} has to be there, with four
 * GPUs and no other node beside it.
 */
@Tag("kubernetes")
class RealControllersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String NAMESPACE = "berth-controllers";

    private final KubernetesClient client = RealClusterTest.open();
    private final KubernetesEngine engine = engine(client);

    private static KubernetesEngine engine(KubernetesClient client) {
        return new KubernetesEngine(Handovers.server(), Handovers.in(NAMESPACE), client, () -> NOW, Watched.GOOD_FOR);
    }

    @BeforeEach
    void makeNamespace() {
        if (client.namespaces().withName(NAMESPACE).get() == null) {
            client.resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(NAMESPACE)
                            .endMetadata()
                            .build())
                    .create();
        }
    }

    @AfterEach
    void close() {
        pods().forEach(this::remove);
        client.close();
    }

    private List<Pod> pods() {
        return client.pods().inNamespace(NAMESPACE).list().getItems();
    }

    private void remove(Pod pod) {
        client.resource(pod).withGracePeriod(0).delete();
    }

    private static void await(String what, BooleanSupplier isSo) {
        Instant end = Instant.now().plus(PATIENCE);
        while (!isSo.getAsBoolean()) {
            assertThat(Instant.now()).as(what).isBefore(end);
            SlurmCluster.pause();
        }
    }

    private Phase look(Handed handed) {
        return Objects.requireNonNull(engine.look(List.of(handed)).get(handed));
    }

    private boolean waitsFor(Handed handed, String words) {
        return look(handed) instanceof Phase.Waiting waiting && waiting.words().contains(words);
    }

    private Handed handOver(Handover handover) {
        engine.handOver(handover);
        return handover.handed();
    }

    private Pod podOf(Handed handed) {
        return pods().stream()
                .filter(pod -> AttemptLabels.jobOf(pod).equals(handed.name()))
                .findFirst()
                .orElseThrow();
    }

    private Job job(Handed handed) {
        return client.batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withName(handed.name())
                .get();
    }

    private void kubelet(Handed handed, String phase, UnaryOperator<ContainerStatusBuilder> container) {
        PlayedKubelet.status(client, podOf(handed), phase, container);
    }

    private void ended(Handed handed, int code) {
        PlayedKubelet.ended(client, podOf(handed), code);
    }

    private String condition(Handed handed) {
        return JobPhases.end(job(handed))
                .map(end -> end.getType() + " " + end.getReason())
                .orElse("none");
    }

    @Test
    void aFailedProgramIsNotStartedAgain() {
        Handed handed = handOver(Handovers.of(11));
        await("a node", () -> waitsFor(handed, "its container is made, or its image pulled, on node berth-test-node"));
        ended(handed, 3);
        await("the controller's word", () -> condition(handed).equals("Failed BackoffLimitExceeded"));
        assertThat(look(handed))
                .isInstanceOfSatisfying(
                        Phase.Over.class, over -> assertThat(over.end()).isEqualTo(new End.Exited(3, false)));
        assertThat(pods()).hasSize(1);
        engine.discard(handed);
        await(
                "its Secrets gone",
                () -> client.secrets().inNamespace(NAMESPACE).list().getItems().stream()
                        .noneMatch(secret -> secret.getMetadata().getName().startsWith(handed.name())));
        await("its pod gone", () -> pods().isEmpty());
    }

    @Test
    void aProgramThatEndsWellCompletesItsJob() {
        Handed handed = handOver(Handovers.of(12));
        await("a node", () -> waitsFor(handed, "on node berth-test-node"));
        ended(handed, 0);
        await("the controller's word", () -> condition(handed).startsWith("Complete"));
        assertThat(look(handed))
                .isInstanceOfSatisfying(
                        Phase.Over.class, over -> assertThat(over.end()).isEqualTo(new End.Exited(0, false)));
        engine.discard(handed);
    }

    @Test
    void theSchedulersWordsAreTold() {
        Handed all = handOver(Handovers.of(13, Handovers.gpus(4)));
        await("a node", () -> waitsFor(all, "on node berth-test-node"));
        Handed next = handOver(Handovers.of(14, Handovers.gpus(1)));
        await(
                "the scheduler's word",
                () -> waitsFor(
                        next,
                        "Kubernetes has no node for it: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu."));
        engine.discard(next);
        engine.discard(all);
    }

    @Test
    void aCancelledProgramHasItsGraceAndIsKnownUntilItHasEnded() {
        Limits limits = new Limits(null, null, null, Duration.ofMinutes(5));
        Handed handed = handOver(Handovers.of(15, Handovers.spec(PYTHON, Resources.of(GpuRequest.NONE), limits)));
        await("a node", () -> waitsFor(handed, "on node berth-test-node"));
        kubelet(
                handed,
                "Running",
                container -> container
                        .withNewState()
                        .withNewRunning("2026-11-28T12:01:00Z")
                        .endState());
        engine.cancel(handed, Duration.ofSeconds(20));
        assertThat(job(handed)).isNull();
        await("TERM", () -> podOf(handed).isMarkedForDeletion());
        assertThat(podOf(handed).getMetadata().getDeletionGracePeriodSeconds()).isEqualTo(20);
        assertThat(look(handed)).isInstanceOf(Phase.Alive.class);
        ended(handed, 143);
        assertThat(look(handed))
                .isInstanceOfSatisfying(
                        Phase.Over.class, over -> assertThat(over.end()).isEqualTo(new End.Exited(143, false)));
        remove(podOf(handed));
        await("nothing", () -> look(handed) instanceof Phase.Unknown);
        engine.discard(handed);
    }

    @Test
    void aJobThatIsGivenUpEndsByItsDeadline() {
        Handed handed = handOver(Handovers.of(16));
        await("a node", () -> waitsFor(handed, "on node berth-test-node"));
        kubelet(
                handed,
                "Pending",
                container -> container
                        .withNewState()
                        .withNewWaiting("Couldn't parse image", "InvalidImageName")
                        .endState());
        assertThat(waitsFor(handed, "it is given up")).isTrue();
        await("the controller's word", () -> condition(handed).equals("Failed DeadlineExceeded"));
        // The node's part: it ends what it has of a deleted pod.
        pods().forEach(this::remove);
        await("its end", () -> look(handed) instanceof Phase.Over);
        assertThat(look(handed))
                .isInstanceOfSatisfying(
                        Phase.Over.class,
                        over -> assertThat(over.end())
                                .isInstanceOfSatisfying(
                                        End.ByEngine.class,
                                        end -> assertThat(end.outcome().reason())
                                                .isEqualTo(OutcomeReason.IMAGE_UNAVAILABLE)));
        engine.discard(handed);
    }

    private void withQuota(String what, String amount, Runnable work) {
        ResourceQuota quota = client.resource(new ResourceQuotaBuilder()
                        .withNewMetadata()
                        .withName("small")
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .withHard(Map.of(what, new Quantity(amount)))
                        .endSpec()
                        .build())
                .create();
        try {
            await(
                    "the quota counts",
                    () -> client.resource(quota).get().getStatus().getHard() != null);
            work.run();
        } finally {
            client.resource(quota).delete();
        }
    }

    @Test
    void aQuotaOfJobsIsASentenceAndFailsNoJob() {
        withQuota("count/jobs.batch", "0", () -> {
            assertThatExceptionOfType(EngineException.class)
                    .isThrownBy(() -> engine.handOver(Handovers.of(17)))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                    .withMessageStartingWith("the quota of namespace berth-controllers is used up: ");
            assertThat(engine.examine(Handovers.ADA))
                    .filteredOn(finding -> finding.name().equals("quota"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.sentence())
                            .isEqualTo("quota small of count/jobs.batch (0) is used up: jobs wait"));
        });
    }

    @Test
    void aQuotaOfPodsIsTheReasonForWaiting() {
        withQuota("pods", "0", () -> {
            Handed handed = handOver(Handovers.of(18));
            await("the controller's word", () -> waitsFor(handed, "Kubernetes could not make its pod: "));
            assertThat(waitsFor(handed, "exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0"))
                    .isTrue();
            engine.discard(handed);
        });
    }

    @Test
    void allIsAsItShouldBe() {
        // What an old cluster cannot promise is no matter of how it is set up.
        assertThat(engine.examine(Handovers.ADA))
                .filteredOn(finding -> !finding.name().equals("starts"))
                .allMatch(Finding::isWell);
        assertThat(engine.health().capacity()).contains("4 GPUs");
    }
}
