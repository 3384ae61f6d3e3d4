package dev.berth.server.target;

import dev.berth.core.job.NodeTraits.Toleration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration says of a Kubernetes cluster. What it does not say is null, or empty.
 *
 * @param kubeconfig the file that says where the API server is and who asks it
 * @param context the one of that file
 * @param namespace where jobs go
 * @param queue Kueue's local queue
 * @param nodeSelector the labels that nodes must have, by their names
 * @param gpuResource by what name nodes count GPUs
 * @param gpuTypes what the words that jobs ask of GPUs mean: the labels of such nodes
 * @param snapshot how a job comes to the directory that was submitted
 * @param startDeadline how long a job may take from its place on a node to its program's start
 * @param deadline of each call
 */
public record KubernetesFields(
        @Nullable Path kubeconfig,
        @Nullable String context,
        @Nullable String namespace,
        @Nullable String queue,
        Map<String, String> nodeSelector,
        List<Toleration> tolerations,
        @Nullable String runtimeClass,
        @Nullable String gpuResource,
        Map<String, Map<String, String>> gpuTypes,
        List<String> imagePullSecrets,
        @Nullable SnapshotWay snapshot,
        @Nullable Duration startDeadline,
        @Nullable Duration deadline) {
    public KubernetesFields {
        nodeSelector = Map.copyOf(nodeSelector);
        tolerations = List.copyOf(tolerations);
        gpuTypes = Map.copyOf(gpuTypes);
        imagePullSecrets = List.copyOf(imagePullSecrets);
    }

    /** How a job comes to the directory that was submitted. */
    public sealed interface SnapshotWay {
        /**
         * By a volume that this machine has, too.
         *
         * @param claim the volume's claim in the cluster
         * @param path where this machine has it
         */
        record Volume(String claim, Path path) implements SnapshotWay {}

        /**
         * It fetches it from this server.
         *
         * @param url the server as the cluster's nodes reach it
         * @param image of the container that fetches it; null for the usual one
         */
        record Fetch(String url, @Nullable String image) implements SnapshotWay {}

        /** It lies in a secret of the cluster, which holds a small one alone. */
        record Secret() implements SnapshotWay {}
    }
}
