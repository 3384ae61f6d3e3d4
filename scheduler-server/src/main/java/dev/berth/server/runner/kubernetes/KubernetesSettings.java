package dev.berth.server.runner.kubernetes;

import dev.berth.core.job.NodeTraits.Toleration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a Kubernetes cluster is reached, and what pods are made of there.
 *
 * @param access where its API server is and as whom it is asked
 * @param namespace all that Berth makes is in it
 * @param queue Kueue's LocalQueue in that namespace; null where the cluster has no Kueue, or jobs pass it by
 * @param nodes which nodes will do
 * @param imagePullSecrets the names of Secrets in the namespace by which images are pulled
 * @param snapshots the way by which a job's directory gets into its pod
 * @param startDeadline how long a pod may fail to start, for its image or its container's settings, before its job has failed
 * @param callDeadline of each call
 */
public record KubernetesSettings(
        Access access,
        String namespace,
        @Nullable String queue,
        Nodes nodes,
        List<String> imagePullSecrets,
        SnapshotWay snapshots,
        Duration startDeadline,
        Duration callDeadline) {
    public static final Duration DEFAULT_START_DEADLINE = Duration.ofMinutes(10);
    public static final Duration DEFAULT_CALL_DEADLINE = Duration.ofSeconds(20);

    /** The resource that NVIDIA's device plugin counts. */
    public static final String DEFAULT_GPU_RESOURCE = "nvidia.com/gpu";

    /** What fetches and unpacks directories: it has GNU tar and wget. */
    public static final String DEFAULT_SNAPSHOT_IMAGE = "buildpack-deps:bookworm-curl";

    public KubernetesSettings {
        imagePullSecrets = List.copyOf(imagePullSecrets);
    }

    /**
     * The API server.
     *
     * @param kubeconfig null for the one that {@code kubectl} would read, or that of the pod that the server itself is in
     * @param context of that file; null for its current one
     */
    public record Access(
            @Nullable Path kubeconfig, @Nullable String context) {
        public static final Access USUAL = new Access(null, null);
    }

    /**
     * The nodes that jobs may be on.
     *
     * @param selector labels that each must bear
     * @param tolerations taints that are no matter
     * @param runtimeClass the container runtime, where it is not the node's usual one; else null
     * @param gpuResource by what name the nodes count GPUs
     * @param traits what the words that jobs ask of GPUs mean here ({@code --gpu-type a100}): the labels of such nodes
     */
    public record Nodes(
            Map<String, String> selector,
            List<Toleration> tolerations,
            @Nullable String runtimeClass,
            String gpuResource,
            Map<String, Map<String, String>> traits) {
        public static final Nodes ANY = new Nodes(Map.of(), List.of(), null, DEFAULT_GPU_RESOURCE, Map.of());

        public Nodes {
            selector = Map.copyOf(selector);
            tolerations = List.copyOf(tolerations);
            traits = Map.copyOf(traits);
        }
    }

    /** The way by which a job's directory gets into its pod. */
    public sealed interface SnapshotWay {
        /** The image of the container that unpacks it before the program starts. */
        String image();

        /**
         * By a volume that the server and all nodes see: the server writes an archive, the pod reads it.
         *
         * @param claim the PersistentVolumeClaim, with ReadOnlyMany or ReadWriteMany
         * @param directory where this machine sees the same volume
         */
        record OnVolume(String claim, Path directory, String image) implements SnapshotWay {}

        /**
         * By HTTP from the server itself, with a token for one attempt.
         *
         * @param server the server's address as pods see it: {@code https://berth.example.org:5555}
         */
        record ByLink(String server, String image) implements SnapshotWay {}

        /** In a Secret of the attempt: for small directories only, needs nothing else. */
        record InSecret(String image) implements SnapshotWay {}
    }
}
