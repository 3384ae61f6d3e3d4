package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.NOW;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static dev.berth.server.runner.kubernetes.Handovers.handed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.StateName;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One attempt from its hand-over to its end, on a cluster whose controllers and nodes the test plays. */
class KubernetesEngineTest {
    private static final Handed JOB = handed(7);
    private static final String NAME = JOB.name();

    private final MockCluster cluster = new MockCluster();
    private Instant now = NOW;
    private final KubernetesEngine engine = cluster.engine(SETTINGS, () -> now);

    @AfterEach
    void close() {
        cluster.close();
    }

    private Phase look() {
        return look(engine);
    }

    private static Phase look(KubernetesEngine engine) {
        return Objects.requireNonNull(engine.look(List.of(JOB)).get(JOB));
    }

    private String waits() {
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        return ((Phase.Waiting) look()).words();
    }

    @Test
    void aJobIsHandedOverOnce() {
        engine.handOver(Handovers.of(7));
        String uid = cluster.job(NAME).getMetadata().getUid();
        engine.handOver(Handovers.of(7));
        assertThat(cluster.job(NAME).getMetadata().getUid()).isEqualTo(uid);
        assertThat(cluster.client()
                        .batch()
                        .v1()
                        .jobs()
                        .inNamespace("lab")
                        .list()
                        .getItems())
                .hasSize(1);
    }

    @Test
    void oneThatNobodyHasBegunIsNotAskedForAndMadeOnceAllTheSame() {
        Handover begun = Handovers.of(7);
        Handover fresh =
                new Handover(begun.handed(), begun.job(), begun.program(), begun.environment(), null, List.of(), false);
        engine.handOver(fresh);
        assertThat(cluster.server().requests()).noneMatch(request -> request.startsWith("GET /a"));
        String uid = cluster.job(NAME).getMetadata().getUid();
        engine.handOver(fresh);
        assertThat(cluster.job(NAME).getMetadata().getUid()).isEqualTo(uid);
    }

    @Test
    void itsVariablesAreInASecretThatGoesWithIt() {
        engine.handOver(Handovers.of(7));
        var secret =
                cluster.client().secrets().inNamespace("lab").withName(NAME).get();
        assertThat(secret.getData())
                .containsKeys("LR", "BERTH_JOB_ID", "HOME")
                .doesNotContainKey("NVIDIA_VISIBLE_DEVICES");
        assertThat(secret.getMetadata().getOwnerReferences())
                .extracting(OwnerReference::getUid)
                .containsExactly(cluster.job(NAME).getMetadata().getUid());
        assertThat(cluster.job(NAME).toString()).doesNotContain("LR=");
    }

    @Test
    void aHandOverThatBrokeOffIsCompletedByTheNext() {
        engine.handOver(Handovers.of(7));
        cluster.client().secrets().inNamespace("lab").withName(NAME).delete();
        engine.handOver(Handovers.of(7));
        assertThat(cluster.client().secrets().inNamespace("lab").withName(NAME).get())
                .isNotNull();
    }

    private boolean hasSecret() {
        return cluster.client().secrets().inNamespace("lab").withName(NAME).get() != null;
    }

    /** Kubernetes before 1.26 makes another pod of a Job whose pod was deleted; Kueue, of one that it took back. */
    @Test
    void aProgramThatRanBeginsInNoOtherPod() {
        engine.handOver(Handovers.of(7));
        // A node would keep an immutable one, though it is deleted.
        assertThat(cluster.client()
                        .secrets()
                        .inNamespace("lab")
                        .withName(NAME)
                        .get()
                        .getImmutable())
                .isFalse();
        cluster.makePod(NAME);
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        assertThat(hasSecret()).isTrue();
        cluster.running(NAME);
        assertThat(look()).isInstanceOf(Phase.Alive.class);
        assertThat(hasSecret()).isFalse();
        // A server that does not know how far it came.
        engine.handOver(Handovers.of(7));
        assertThat(hasSecret()).isFalse();

        cluster.client().resource(cluster.pod(NAME)).delete();
        cluster.makePod(NAME);
        KubernetesEngine next = cluster.engine(SETTINGS, () -> now);
        assertThat(next.look(List.of(JOB))).isEmpty();
        assertThat(next.look(List.of(JOB))).isEmpty();
        assertThat(cluster.job(NAME).getSpec().getActiveDeadlineSeconds()).isEqualTo(1);
        cluster.over(NAME, "Failed", "DeadlineExceeded");
        cluster.client().resource(cluster.pod(NAME)).delete();
        assertThat(look(next))
                .isInstanceOfSatisfying(
                        Phase.Over.class,
                        over -> assertThat(over.end()).isInstanceOfSatisfying(End.ByEngine.class, end -> {
                            assertThat(end.outcome().state()).isEqualTo(StateName.LOST);
                            assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.TARGET_LOST);
                            assertThat(end.outcome().sentence()).startsWith("its pod is gone: somebody deleted");
                        }));
    }

    /** No deadline ends a Job that is suspended, as Kueue does with one that it takes back. */
    @Test
    void aProgramWhoseJobIsSuspendedIsLost() {
        engine.handOver(Handovers.of(7));
        cluster.start(NAME);
        assertThat(look()).isInstanceOf(Phase.Alive.class);
        cluster.editJob(NAME, job -> job.editSpec().withSuspend(true).endSpec());
        cluster.client().resource(cluster.pod(NAME)).delete();
        assertThat(look())
                .isInstanceOfSatisfying(
                        Phase.Over.class,
                        over -> assertThat(over.end()).isInstanceOfSatisfying(End.ByEngine.class, end -> {
                            assertThat(end.outcome().state()).isEqualTo(StateName.LOST);
                            assertThat(end.outcome().sentence()).startsWith("its pod is gone");
                        }));
    }

    @Test
    void itWaitsUntilItsProgramRuns() {
        engine.handOver(Handovers.of(7));
        assertThat(waits()).isEqualTo("Kubernetes has not made its pod yet");
        cluster.makePod(NAME);
        assertThat(waits()).isEqualTo("Kubernetes looks for a node");
        cluster.editPod(
                NAME,
                pod -> pod.editOrNewStatus()
                        .addNewCondition()
                        .withType("PodScheduled")
                        .withStatus("False")
                        .withReason("Unschedulable")
                        .withMessage("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
                        .endCondition()
                        .endStatus());
        assertThat(waits())
                .isEqualTo("Kubernetes has no node for it: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.");
        cluster.waiting(NAME, "ContainerCreating", null);
        assertThat(waits()).isEqualTo("its container is made, or its image pulled, on node gpu-01");
        cluster.running(NAME);
        assertThat(look()).isEqualTo(new Phase.Alive(NAME, Instant.parse("2026-11-28T12:01:00Z"), "gpu-01"));
    }

    @Test
    void anExitCodeIsThePods() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.ended(NAME, 3, "Error");
        Phase.Over over = (Phase.Over) look();
        assertThat(over.end()).isEqualTo(new End.Exited(3, false));
        assertThat(over.startedAt()).isEqualTo(Instant.parse("2026-11-28T12:01:00Z"));
        assertThat(over.endedAt()).isEqualTo(Instant.parse("2026-11-28T12:05:00Z"));
    }

    @Test
    void theKernelsKillForMemoryIsTold() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.ended(NAME, 137, "OOMKilled");
        assertThat(((Phase.Over) look()).end()).isEqualTo(new End.Exited(137, true));
    }

    @Test
    void anImageThatCannotBePulledEndsTheJobAfterItsDeadline() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.waiting(NAME, "ImagePullBackOff", "Back-off pulling image \"python:3.13\"");
        assertThat(waits())
                .startsWith("Kubernetes cannot pull the image (ImagePullBackOff)")
                .endsWith("; it tries again");
        now = now.plus(SETTINGS.startDeadline());
        assertThat(waits()).endsWith("; it is given up");
        assertThat(cluster.job(NAME).getSpec().getActiveDeadlineSeconds()).isEqualTo(1);
        // The cluster's controller does the rest; a server that starts anew finds the verdict.
        cluster.over(NAME, "Failed", "DeadlineExceeded");
        cluster.client().resource(cluster.pod(NAME)).delete();
        Phase.Over over = (Phase.Over) look(cluster.engine(SETTINGS, () -> now));
        assertThat(over.end()).isInstanceOfSatisfying(End.ByEngine.class, end -> {
            assertThat(end.outcome().state()).isEqualTo(StateName.FAILED);
            assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.IMAGE_UNAVAILABLE);
            assertThat(end.outcome().sentence()).contains("ImagePullBackOff", "python:3.13");
        });
    }

    @Test
    void operatorsSeeMoreOfAJobByItsEvents() {
        assertThat(engine.inspection(JOB, NAME)).isEqualTo("kubectl -n lab get events | grep " + NAME + " says more");
    }

    /** As a doctor's own job is looked at beside. */
    @Test
    void aLookAtOthersGivesNoMoreTimeToAnImageThatCannotBePulled() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.waiting(NAME, "ErrImagePull", "no route to host");
        assertThat(waits()).endsWith("; it tries again");
        now = now.plus(SETTINGS.startDeadline());
        var _ = engine.look(List.of(Handovers.handed(8)));
        assertThat(waits()).endsWith("; it is given up");
    }

    @Test
    void anImageThatIsPulledInTheEndIsNoTrouble() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.waiting(NAME, "ErrImagePull", "no route to host");
        assertThat(waits()).endsWith("; it tries again");
        cluster.running(NAME);
        assertThat(look()).isInstanceOf(Phase.Alive.class);
        now = now.plus(SETTINGS.startDeadline());
        assertThat(look()).isInstanceOf(Phase.Alive.class);
        assertThat(cluster.job(NAME).getSpec().getActiveDeadlineSeconds()).isNull();
    }

    private void beside(String reason) {
        cluster.editPod(
                NAME,
                pod -> pod.editOrNewStatus()
                        .withInitContainerStatuses(List.of())
                        .addNewInitContainerStatus()
                        .withName("track")
                        .withNewState()
                        .withNewWaiting("no such file", reason)
                        .endState()
                        .endInitContainerStatus()
                        .endStatus());
    }

    @Test
    void whatKeepsTheContainerBesideItFromRunningEndsTheJobBeforeItsProgramBeginsAndNotLater() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        beside("CrashLoopBackOff");
        assertThat(waits()).startsWith("Kubernetes cannot start the container (CrashLoopBackOff): no such file");
        cluster.running(NAME);
        now = now.plus(SETTINGS.startDeadline());
        beside("RunContainerError");
        assertThat(look()).isInstanceOf(Phase.Alive.class);
        now = now.plus(SETTINGS.startDeadline());
        assertThat(look()).isInstanceOf(Phase.Alive.class);
        assertThat(cluster.job(NAME).getSpec().getActiveDeadlineSeconds()).isNull();

        cluster.status(NAME, "Pending", container -> container);
        assertThat(waits()).endsWith("; it tries again");
        now = now.plus(SETTINGS.startDeadline());
        assertThat(waits()).endsWith("; it is given up");
    }

    @Test
    void aCancelDeletesTheJobAndGivesThePodItsGrace() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.running(NAME);
        engine.cancel(JOB, Duration.ofSeconds(5));
        assertThat(cluster.job(NAME)).isNull();
        cluster.collectGarbage();
        assertThat(look()).isEqualTo(new Phase.Unknown());
        engine.cancel(JOB, Duration.ofSeconds(5));
        engine.discard(JOB);
    }

    @Test
    void aPodOutlivesItsJobForItsGrace() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.running(NAME);
        cluster.client().resource(cluster.job(NAME)).delete();
        assertThat(look()).isInstanceOf(Phase.Alive.class);
        cluster.ended(NAME, 143, "Error");
        assertThat(((Phase.Over) look()).end()).isEqualTo(new End.Exited(143, false));
    }

    @Test
    void aJobThatSomebodyDeletedIsUnknown() {
        engine.handOver(Handovers.of(7));
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        cluster.client().resource(cluster.job(NAME)).delete();
        assertThat(look()).isEqualTo(new Phase.Unknown());
    }

    @Test
    void nothingIsLeftOfOneThatIsDiscarded() {
        engine.handOver(Handovers.with(Handovers.of(7), Handovers.snapshot("files")));
        assertThat(cluster.client().secrets().inNamespace("lab").list().getItems())
                .hasSize(2);
        engine.discard(JOB);
        assertThat(cluster.client().secrets().inNamespace("lab").list().getItems())
                .isEmpty();
        assertThat(cluster.job(NAME)).isNull();
        engine.discard(JOB);
    }

    /** They would be taken for none, and be removed with the Job; a cancel has removed that already. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void resultsAreWaitedForWhileTheirVolumeIsNotMounted(
            boolean isCancelled, @TempDir Path volume, @TempDir Path elsewhere) throws IOException {
        SnapshotWay way = new SnapshotWay.OnVolume("shared", volume, "debian:13");
        KubernetesEngine onVolume = cluster.engine(Handovers.by(way), () -> now);
        onVolume.handOver(Handovers.of(7));
        Path place = volume.resolve(NAME);
        Files.move(place, elsewhere.resolve(NAME));
        if (isCancelled) {
            onVolume.cancel(JOB, Duration.ZERO);
        } else {
            Files.createDirectory(volume.resolve("other"));
        }
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> onVolume.fetch(JOB, elsewhere))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.FAILING))
                .withMessage(
                        "what the program left is not at " + place + ": see that the volume is mounted at " + volume);
        Files.move(elsewhere.resolve(NAME), place);
        onVolume.discard(JOB);
        assertThat(place).doesNotExist();
    }

    /** A server that was killed as it was about to note that. */
    @Test
    void oneThatWasDiscardedHasNoResults(@TempDir Path volume) throws IOException {
        SnapshotWay way = new SnapshotWay.OnVolume("shared", volume, "debian:13");
        KubernetesEngine onVolume = cluster.engine(Handovers.by(way), () -> now);
        Files.createDirectory(volume.resolve("other"));
        onVolume.handOver(Handovers.of(7));
        onVolume.discard(JOB);
        onVolume.fetch(JOB, volume.resolve("other"));
        assertThat(volume).isDirectoryContaining(path -> path.endsWith("other"));
    }

    /** Newer nodes call a pod failed that its Job's deadline ends, before the Job is. */
    @Test
    void aPodThatCouldNotStartIsToldByWhatWasSaidOfIt() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.waiting(NAME, "InvalidImageName", "no such name");
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        cluster.editPod(
                NAME,
                pod -> pod.editStatus()
                        .withPhase("Failed")
                        .withContainerStatuses()
                        .endStatus());
        assertThat(((Phase.Over) look()).end())
                .isInstanceOfSatisfying(
                        End.ByEngine.class,
                        end -> assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.IMAGE_UNAVAILABLE));
    }

    @Test
    void aLookTakesTheSameCallsForManyJobs() {
        for (int i = 1; i <= 20; i++) {
            engine.handOver(Handovers.of(i));
            cluster.makePod(handed(i).name());
        }
        int before = cluster.server().requests().size();
        engine.look(LongStream.rangeClosed(1, 20).mapToObj(Handovers::handed).toList());
        assertThat(cluster.server()
                        .requests()
                        .subList(before, cluster.server().requests().size()))
                .hasSize(2);
    }

    @Test
    void aJobInKueuesQueueSaysSo() {
        KubernetesEngine queued = cluster.engine(Handovers.queued("gpus"), () -> now);
        queued.handOver(Handovers.of(7));
        assertThat(cluster.job(NAME).getMetadata().getLabels()).containsEntry("kueue.x-k8s.io/queue-name", "gpus");
        assertThat(queued.look(List.of(JOB)).get(JOB))
                .isEqualTo(new Phase.Waiting(NAME, false, "Kueue has not admitted it yet (queue gpus)"));
    }

    @Test
    void aJobThatSomebodySuspendedIsHeldThere() {
        engine.handOver(Handovers.of(7));
        cluster.editJob(NAME, job -> job.editSpec().withSuspend(true).endSpec());
        assertThat(look()).isEqualTo(new Phase.Waiting(NAME, true, "somebody has suspended its Job in Kubernetes"));
    }

    @Test
    void aContainerThatTheClusterPutThereDoesNotKeepTheJob() {
        engine.handOver(Handovers.of(7));
        cluster.makePod(NAME);
        cluster.ended(NAME, 0, "Completed");
        cluster.editPod(
                NAME,
                pod -> pod.editStatus()
                        .withPhase("Running")
                        .addNewContainerStatus()
                        .withName("istio-proxy")
                        .withNewState()
                        .withNewRunning("2026-11-28T12:00:30Z")
                        .endState()
                        .endContainerStatus()
                        .endStatus());
        assertThat(((Phase.Over) look()).end()).isEqualTo(new End.Exited(0, false));
    }

    @Test
    void aLookTakesNoMoreCallsForJobsThatKueueKeepsBack() {
        KubernetesEngine queued = cluster.engine(Handovers.queued("gpus"), () -> now);
        List<Handed> all =
                LongStream.rangeClosed(1, 5).mapToObj(Handovers::handed).toList();
        for (Handed one : all) {
            queued.handOver(Handovers.of(one.attempt().job().value()));
            cluster.over(one.name(), "Suspended", "JobSuspended");
        }
        int before = cluster.server().requests().size();
        queued.look(all);
        assertThat(cluster.server()
                        .requests()
                        .subList(before, cluster.server().requests().size()))
                .hasSize(2);
    }

    @Test
    void aListThatIsOldMakesNothingUnknown() {
        engine.handOver(Handovers.of(7));
        cluster.server().staleNext("GET /apis/batch/v1/namespaces/lab/jobs?", "JobList", "batch/v1");
        assertThat(look()).isInstanceOf(Phase.Waiting.class);
        cluster.makePod(NAME);
        cluster.ended(NAME, 3, "Error");
        cluster.over(NAME, "Failed", "BackoffLimitExceeded");
        cluster.server().staleNext("GET /api/v1/namespaces/lab/pods?", "PodList", "v1");
        assertThat(((Phase.Over) look()).end()).isEqualTo(new End.Exited(3, false));
    }
}
