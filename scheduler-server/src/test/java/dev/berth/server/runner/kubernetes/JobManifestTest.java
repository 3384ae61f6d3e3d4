package dev.berth.server.runner.kubernetes;

import static dev.berth.server.runner.kubernetes.Handovers.PYTHON;
import static dev.berth.server.runner.kubernetes.Handovers.SERVER;
import static dev.berth.server.runner.kubernetes.Handovers.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.Limits;
import dev.berth.core.job.NodeTraits;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Program;
import dev.berth.core.job.Resources;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.Handover;
import dev.berth.testclient.StrictServer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a Job is made of. Each one that is made here is one that a real API server takes. */
class JobManifestTest {

    private static Job job(KubernetesSettings settings, Handover handover) {
        Job job = new JobManifest(settings, new AttemptLabels(SERVER), Brought.NOTHING).of(handover);
        assertThat(StrictServer.problems(job)).isEmpty();
        return job;
    }

    private static PodSpec pod(Handover handover) {
        return job(SETTINGS, handover).getSpec().getTemplate().getSpec();
    }

    private static Container program(Handover handover) {
        return pod(handover).getContainers().getFirst();
    }

    @Test
    void itsPodIsMadeOnceAndNeverAgain() {
        Job job = job(SETTINGS, Handovers.of(7));
        assertThat(job.getMetadata().getName()).isEqualTo("berth-a1b2c3-7-1");
        assertThat(job.getSpec().getBackoffLimit()).isZero();
        assertThat(job.getSpec().getParallelism()).isEqualTo(1);
        assertThat(job.getSpec().getSuspend()).isFalse();
        assertThat(job.getSpec().getTtlSecondsAfterFinished()).isNull();
        assertThat(pod(Handovers.of(7)).getRestartPolicy()).isEqualTo("Never");
    }

    @Test
    void itRunsAsTheSubmitterWithNoRightMoreThanItNeeds() {
        PodSpec pod = pod(Handovers.of(7));
        assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(1000);
        assertThat(pod.getSecurityContext().getRunAsGroup()).isEqualTo(1001);
        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(pod.getSecurityContext().getSupplementalGroups()).containsExactly(27L, 44L);
        assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        assertThat(pod.getAutomountServiceAccountToken()).isFalse();
        // A submitter's variables would be mixed with those of the namespace's services.
        assertThat(pod.getEnableServiceLinks()).isFalse();
        // Alone the program would be process 1, to which the kernel passes no TERM that it does not handle.
        assertThat(pod.getShareProcessNamespace()).isTrue();
        Container program = pod.getContainers().getFirst();
        assertThat(program.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
        assertThat(program.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(List.of(
                        String.valueOf(pod.getHostNetwork()),
                        String.valueOf(pod.getHostPID()),
                        String.valueOf(pod.getHostIPC())))
                .containsOnly("null");
        assertThat(pod.getVolumes()).allMatch(volume -> volume.getHostPath() == null);
    }

    @Test
    void gpusAreAmongTheLimitsAlone() {
        Container program = program(Handovers.of(7, Handovers.gpus(2)));
        assertThat(program.getResources().getLimits()).containsOnly(Map.entry("nvidia.com/gpu", new Quantity("2")));
        assertThat(program.getResources().getRequests()).isEmpty();
        assertThat(program.getEnv()).extracting(EnvVar::getName).containsExactly("BERTH_TRACK");
    }

    @Test
    void aJobWithoutGpusSeesNone() {
        Handover greedy = Handovers.of(
                7,
                Handovers.gpus(0),
                new Program(
                        List.of("nvidia-smi"),
                        Map.of("NVIDIA_VISIBLE_DEVICES", "all", "CUDA_VISIBLE_DEVICES", "0,1,2,3")));
        assertThat(program(greedy).getEnv()).contains(new EnvVar("NVIDIA_VISIBLE_DEVICES", "void", null));
        assertThat(program(greedy).getResources().getLimits()).isEmpty();
        assertThat(AttemptEnvironment.secret(greedy))
                .doesNotContainKeys("NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES");
    }

    @Test
    void whatIsSetAsideIsRequestedAndWhatItMayUseIsTheLimit() {
        Resources resources =
                new Resources(GpuRequest.NONE, GpuTraits.ANY, 4_000, 8L << 30, 0, new Guarantee(1_500, 2L << 30));
        Container program = program(Handovers.of(7, Handovers.spec(PYTHON, resources, Limits.NONE)));
        assertThat(program.getResources().getLimits())
                .containsEntry("cpu", new Quantity("4000m"))
                .containsEntry("memory", new Quantity("8589934592"));
        assertThat(program.getResources().getRequests())
                .containsEntry("cpu", new Quantity("1500m"))
                .containsEntry("memory", new Quantity("2147483648"));
    }

    @Test
    void aWordsDollarIsTextAndNoVariable() {
        Handover handover = Handovers.of(
                7, Handovers.gpus(0), new Program(List.of("echo", "$(HOME) $$ $x $"), Map.of("A", "$(B)")));
        assertThat(program(handover).getCommand()).containsExactly("echo", "$$(HOME) $$$$ $$x $$");
        assertThat(AttemptEnvironment.secret(handover)).containsEntry("A", "$(B)");
    }

    @Test
    void noTextOfASubmittersIsInAnyNameOrLabel() {
        JobSpec spec = new JobSpec(
                new Label("x\" --all", "../../p", List.of("a=b,c")),
                PYTHON,
                Resources.of(GpuRequest.NONE),
                Limits.NONE,
                false,
                null);
        Job job = job(SETTINGS, Handovers.of(7, spec));
        assertThat(new KubernetesSerialization().asJson(job)).doesNotContain("--all", "../..", "a=b");
    }

    @Test
    void theClustersDeadlineIsBehindBerths() {
        Limits limits = new Limits(Duration.ofHours(2), null, null, Duration.ofSeconds(90));
        PodSpec pod = pod(Handovers.of(7, Handovers.spec(PYTHON, Resources.of(GpuRequest.NONE), limits)));
        assertThat(pod.getActiveDeadlineSeconds()).isEqualTo(2 * 3600 + 90 + 10 * 60 + 5 * 60);
        assertThat(pod.getTerminationGracePeriodSeconds()).isEqualTo(90);
        assertThat(pod(Handovers.of(8)).getActiveDeadlineSeconds()).isNull();
    }

    @Test
    void aTypeOfGpuIsALabelOfNodes() {
        Nodes nodes = new Nodes(
                Map.of("pool", "lab"),
                List.of(
                        new Toleration("nvidia.com/gpu", null, "NoSchedule", null),
                        new Toleration("team", "ships", null, null)),
                "nvidia",
                "nvidia.com/gpu",
                Map.of("a100", Map.of("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB", "pool", "other")));
        Resources resources = new Resources(GpuRequest.whole(1), new GpuTraits(null, "a100", List.of()), null, null, 0);
        PodSpec pod = job(
                        Handovers.on(nodes, "registry"),
                        Handovers.of(7, Handovers.spec(PYTHON, resources, Limits.NONE)))
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(pod.getNodeSelector())
                .containsOnly(Map.entry("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB"), Map.entry("pool", "lab"));
        assertThat(pod.getTolerations()).extracting(one -> one.getOperator()).containsExactly("Exists", "Equal");
        assertThat(pod.getRuntimeClassName()).isEqualTo("nvidia");
        assertThat(pod.getImagePullSecrets()).containsExactly(new LocalObjectReference("registry"));
    }

    /** What the operator says of all jobs of the target wins. */
    @Test
    void aProfileNamesNodesToo() {
        Nodes nodes = new Nodes(
                Map.of("pool", "lab"),
                List.of(new Toleration("nvidia.com/gpu", null, "NoSchedule", null)),
                null,
                "nvidia.com/gpu",
                Map.of());
        JobSpec any = Handovers.spec(PYTHON, Resources.of(GpuRequest.NONE), Limits.NONE);
        JobSpec spec = Jobs.with(
                any,
                new AtTarget(
                        "k8s",
                        any.container(),
                        new NodeTraits(
                                Map.of("pool", "other", "disk", "ssd"),
                                List.of(
                                        new Toleration("nvidia.com/gpu", null, "NoSchedule", null),
                                        new Toleration("spot", "yes", "NoExecute", 60L)))));
        PodSpec pod = job(Handovers.on(nodes, "registry"), Handovers.of(7, spec))
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(pod.getNodeSelector()).containsOnly(Map.entry("pool", "lab"), Map.entry("disk", "ssd"));
        assertThat(pod.getTolerations()).extracting(one -> one.getKey()).containsExactly("nvidia.com/gpu", "spot");
        assertThat(pod.getTolerations().getLast().getTolerationSeconds()).isEqualTo(60);
    }

    @Test
    void aJobOfAQueueBeginsSuspended() {
        Job job = job(Handovers.queued("gpus"), Handovers.of(7));
        assertThat(job.getSpec().getSuspend()).isTrue();
        assertThat(job.getMetadata().getLabels()).containsEntry("kueue.x-k8s.io/queue-name", "gpus");
        assertThat(job.getSpec().getTemplate().getMetadata().getLabels())
                .doesNotContainKey("kueue.x-k8s.io/queue-name");
    }

    @Test
    void aDirectoryIsUnpackedBeforeTheProgramStarts() {
        Handover handover = Handovers.with(Handovers.of(7), Handovers.snapshot("files"));
        PodSpec secret = job(SETTINGS, handover).getSpec().getTemplate().getSpec();
        assertThat(secret.getInitContainers().getFirst().getCommand())
                .containsExactly("tar", "-xzf", "/berth/snapshot/snapshot.tar.gz");
        SnapshotWay volume = new SnapshotWay.OnVolume("shared", Path.of("/mnt/shared"), "debian:13");
        Container unpack = job(Handovers.by(volume), handover)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getInitContainers()
                .getFirst();
        assertThat(unpack.getImage()).isEqualTo("debian:13");
        assertThat(unpack.getVolumeMounts().getFirst().getSubPath()).isEqualTo("berth-a1b2c3-7-1");
        assertThat(unpack.getVolumeMounts().getFirst().getReadOnly()).isTrue();
        SnapshotWay link = new SnapshotWay.ByLink("https://berth.example.org:5555", "debian:13");
        Container fetch = job(Handovers.by(link), handover)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getInitContainers()
                .getFirst();
        assertThat(fetch.getEnv().getFirst().getValueFrom().getSecretKeyRef().getName())
                .isEqualTo("berth-a1b2c3-7-1-snapshot");
        assertThat(pod(Handovers.of(8)).getInitContainers()).isEmpty();
    }

    /** With a directory to unpack or without, and of the volume nothing but its own. */
    @Test
    void resultsGoToTheVolume() {
        SnapshotWay volume = new SnapshotWay.OnVolume("shared", Path.of("/mnt/shared"), "debian:13");
        for (Handover handover :
                List.of(Handovers.of(7), Handovers.with(Handovers.of(7), Handovers.snapshot("files")))) {
            Job job = new JobManifest(Handovers.by(volume), new AttemptLabels(SERVER), new Brought(false, true))
                    .of(handover);
            assertThat(StrictServer.problems(job)).isEmpty();
            PodSpec pod = job.getSpec().getTemplate().getSpec();
            Container program = pod.getContainers().getFirst();
            assertThat(program.getEnv()).contains(new EnvVar("BERTH_OUTPUT_DIR", "/output", null));
            VolumeMount results = program.getVolumeMounts().getLast();
            assertThat(results.getMountPath()).isEqualTo("/output");
            assertThat(results.getSubPath()).isEqualTo("berth-a1b2c3-7-1/outputs");
            assertThat(pod.getVolumes())
                    .filteredOn(one -> one.getPersistentVolumeClaim() != null)
                    .singleElement()
                    .satisfies(one -> assertThat(one.getName()).isEqualTo(results.getName()));
        }
    }

    @Test
    void aContainerBesideTheProgramPrintsWhatItTells() {
        Resources resources = new Resources(GpuRequest.whole(2), GpuTraits.ANY, 4_000, null, 0);
        Handover handover = Handovers.with(
                Handovers.of(7, Handovers.spec(PYTHON, resources, Limits.NONE)), Handovers.snapshot("files"));
        Job job = new JobManifest(SETTINGS, new AttemptLabels(SERVER), new Brought(true, false)).of(handover);
        assertThat(StrictServer.problems(job)).isEmpty();
        PodSpec pod = job.getSpec().getTemplate().getSpec();
        Container track = pod.getInitContainers().getLast();
        assertThat(pod.getInitContainers()).extracting(Container::getName).containsExactly("snapshot", "track");
        assertThat(track.getRestartPolicy()).isEqualTo("Always");
        assertThat(track.getEnvFrom()).isEmpty();
        assertThat(track.getEnv()).containsExactly(new EnvVar("NVIDIA_VISIBLE_DEVICES", "void", null));
        assertThat(track.getVolumeMounts())
                .extracting(VolumeMount::getMountPath)
                .containsExactly("/berth/track");
        assertThat(track.getResources().getLimits()).containsOnly(Map.entry("cpu", new Quantity("100m")));
        assertThat(track.getSecurityContext())
                .isEqualTo(pod.getContainers().getFirst().getSecurityContext());
        assertThat(pod.getContainers().getFirst().getEnv())
                .contains(new EnvVar("BERTH_TRACK", "/berth/track/lines", null));
        assertThat(program(handover).getEnv()).contains(new EnvVar("BERTH_TRACK", "/dev/null", null));
    }
}
