package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Submitter;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import dev.berth.server.runner.target.Handover;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Makes the pod of an attempt. It runs as the submitter, with no right more than its program needs, and has nothing of its node but
 * the GPUs that it asked for.
 *
 * @param brought which files of the program are brought here
 */
record PodManifest(KubernetesSettings settings, Handover handover, Brought brought) {
    /** The name of the container that the program runs in. */
    static final String CONTAINER = "job";

    private static final String WORKSPACE = "workspace";
    private static final String WORKSPACE_PATH = "/workspace";
    private static final String HOME = "home";

    /** As Kubernetes has it where nobody says anything. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** The time from TERM to KILL that a pod is made with; less can be asked for at its end, more cannot. */
    static Duration grace(Limits limits) {
        return Objects.requireNonNullElse(limits.grace(), GRACE);
    }

    /**
     * The specification of the pod.
     *
     * @param longest for how long it may be; zero for ever
     */
    PodSpec spec(Duration longest) {
        SnapshotPlan snapshot = SnapshotPlan.of(settings.snapshots(), handover);
        JobSpec spec = handover.job().spec();
        return new PodSpecBuilder()
                .withRestartPolicy("Never")
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                // Then the program is not the first process of its namespace, whose TERM the kernel drops.
                .withShareProcessNamespace(true)
                .withTerminationGracePeriodSeconds(seconds(grace(spec.limits())))
                .withActiveDeadlineSeconds(longest.isZero() ? null : (Long) seconds(longest))
                .withSecurityContext(podSecurity())
                .withNodeSelector(nodeSelector(spec))
                .withTolerations(tolerations(spec))
                .withRuntimeClassName(settings.nodes().runtimeClass())
                .withImagePullSecrets(settings.imagePullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .withInitContainers(initContainers(snapshot))
                .withContainers(program(spec.container()))
                .withVolumes(volumes(snapshot, spec.container()))
                .build();
    }

    private static long seconds(Duration time) {
        return Math.max(1, time.plusMillis(999).toSeconds());
    }

    private PodSecurityContext podSecurity() {
        Submitter owner = handover.handed().owner();
        return new PodSecurityContextBuilder()
                .withRunAsUser(owner.uid())
                .withRunAsGroup(owner.gid())
                .withRunAsNonRoot(!owner.isRoot())
                .withSupplementalGroups(owner.groups())
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .build();
    }

    private static SecurityContext containerSecurity() {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withPrivileged(false)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .build();
    }

    private Map<String, String> nodeSelector(JobSpec spec) {
        Nodes nodes = settings.nodes();
        Map<String, String> selector = new HashMap<>();
        Stream.concat(Stream.ofNullable(spec.resources().traits().type()), spec.resources().traits().labels().stream())
                .map(word -> nodes.traits().getOrDefault(word, Map.of()))
                .forEach(selector::putAll);
        selector.putAll(spec.nodes().labels());
        // What the operator said of all jobs wins.
        selector.putAll(nodes.selector());
        return selector;
    }

    private List<Toleration> tolerations(JobSpec spec) {
        return Stream.concat(settings.nodes().tolerations().stream(), spec.nodes().tolerations().stream())
                .distinct()
                .map(taint -> new TolerationBuilder()
                        .withKey(taint.key())
                        .withOperator(taint.value() == null ? "Exists" : "Equal")
                        .withValue(taint.value())
                        .withEffect(taint.effect())
                        .withTolerationSeconds(taint.seconds())
                        .build())
                .toList();
    }

    private List<Container> initContainers(SnapshotPlan snapshot) {
        List<Container> containers = new ArrayList<>();
        Resources resources = handover.job().spec().resources();
        if (handover.directory().isPresent()) {
            containers.add(new ContainerBuilder(helper(snapshot.container()))
                    .addToVolumeMounts(mount(WORKSPACE, WORKSPACE_PATH))
                    .withWorkingDir(WORKSPACE_PATH)
                    // A quota may want an amount of each container; those of one after the other do not add up.
                    .withResources(PodResources.withoutGpus(resources))
                    .build());
        }
        if (brought.metrics()) {
            // Behind the other, beside which it would run.
            containers.add(new ContainerBuilder(
                            helper(TrackPlan.container(settings.snapshots().image(), resources)))
                    .withVolumeMounts(mount(TrackPlan.VOLUME, TrackPlan.PATH))
                    .withWorkingDir(TrackPlan.PATH)
                    .build());
        }
        return containers;
    }

    /** A container of Berth's own. */
    private static Container helper(Container plan) {
        return new ContainerBuilder(plan)
                .withImagePullPolicy("IfNotPresent")
                .withSecurityContext(containerSecurity())
                .build();
    }

    private Container program(InContainer place) {
        return new ContainerBuilder()
                .withName(CONTAINER)
                .withImage(place.image())
                .withImagePullPolicy(pull(place.pull()))
                .withCommand(handover.program().command().stream()
                        .map(PodManifest::literal)
                        .toList())
                .withWorkingDir(Objects.requireNonNullElse(place.workingDirectory(), WORKSPACE_PATH))
                .addNewEnvFrom()
                .withNewSecretRef(handover.handed().name(), false)
                .endEnvFrom()
                .withEnv(AttemptEnvironment.fixed(handover, brought))
                .withResources(PodResources.of(handover.job().spec().resources(), settings.nodes()))
                .withSecurityContext(containerSecurity())
                .withVolumeMounts(mounts())
                .build();
    }

    /** Kubernetes puts variables in for $(NAME); in a submitter's text that is to be no more than text (its API's "command"). */
    private static String literal(String word) {
        return word.replace("$", "$$");
    }

    private static String pull(PullPolicy policy) {
        return switch (policy) {
            case MISSING -> "IfNotPresent";
            case ALWAYS -> "Always";
            case NEVER -> "Never";
        };
    }

    private List<VolumeMount> mounts() {
        List<VolumeMount> mounts = new ArrayList<>(List.of(
                mount(WORKSPACE, WORKSPACE_PATH),
                mount(HOME, AttemptEnvironment.HOME_PATH),
                mount(PodResources.SHARED_MEMORY, "/dev/shm")));
        if (brought.metrics()) {
            mounts.add(mount(TrackPlan.VOLUME, TrackPlan.PATH));
        }
        if (brought.outputs()) {
            mounts.add(OutputPlan.mount(handover.handed()));
        }
        if (handover.parameters().isPresent()) {
            mounts.add(mount(ParameterPlan.VOLUME, ParameterPlan.PATH));
        }
        return mounts;
    }

    private static VolumeMount mount(String volume, String path) {
        return new VolumeMountBuilder().withName(volume).withMountPath(path).build();
    }

    private List<Volume> volumes(SnapshotPlan snapshot, InContainer place) {
        List<Volume> volumes = new ArrayList<>();
        volumes.add(PodResources.emptyDirectory(WORKSPACE));
        volumes.add(PodResources.emptyDirectory(HOME));
        volumes.add(PodResources.sharedMemory(place.shmBytes()));
        if (handover.directory().isPresent() || brought.outputs()) {
            volumes.addAll(snapshot.volumes());
        }
        if (brought.metrics()) {
            volumes.add(PodResources.emptyDirectory(TrackPlan.VOLUME));
        }
        if (handover.parameters().isPresent()) {
            volumes.add(ParameterPlan.volume());
        }
        return volumes;
    }
}
