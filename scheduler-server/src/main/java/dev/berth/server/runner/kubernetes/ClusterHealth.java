package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.target.TargetEngine.Health;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.VersionInfo;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What a cluster says of itself: its version, what its nodes hold, in which order it lets jobs start. */
record ClusterHealth(ClusterCalls calls) {
    private static final String KUEUE = "kueue.x-k8s.io";
    private static final List<String> KUEUES_VERSIONS = List.of("v1beta2", "v1beta1");

    /** The order where nothing but Kubernetes' own scheduler decides. */
    static final String UNORDERED =
            "Kubernetes decides: not first in, first out; a smaller job may start before a larger one";

    private static final String STRICT =
            "first in, first out by Kueue (StrictFIFO), but for jobs that were handed over within the same second";

    Health health() {
        VersionInfo version = version();
        return new Health(true, "Kubernetes " + version.getGitVersion() + " answers", capacity(), order());
    }

    VersionInfo version() {
        return calls.failures().call("ask for its version", () -> calls.client().getKubernetesVersion());
    }

    /** Whether pods can have a container that ends after the program; false where the server may not ask for the version. */
    boolean hasSidecars() {
        return read(() -> calls.client().getKubernetesVersion())
                .filter(TrackPlan::isPossible)
                .isPresent();
    }

    /** Whether the cluster is of version 1.MINOR or a later one. */
    static boolean isAtLeast(VersionInfo version, int minor) {
        int major = number(version.getMajor());
        return major > 1 || (major == 1 && number(version.getMinor()) >= minor);
    }

    /** A provider's own version has something behind the number ({@code 29+}). */
    private static int number(String text) {
        String digits = text.replaceFirst("\\D.*", "");
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    /** The order as the settings have it, asking nobody. */
    String usualOrder() {
        String queue = calls.settings().queue();
        return queue == null
                ? UNORDERED
                : "Kueue decides by its queue " + queue
                        + ": first in, first out where its ClusterQueue says StrictFIFO, but for jobs of the same"
                        + " second";
    }

    private String order() {
        return strategy()
                .map(strategy -> strategy.equals("StrictFIFO")
                        ? STRICT
                        : "Kueue decides (" + strategy + "): a later job may start before one that does not fit")
                .orElseGet(this::usualOrder);
    }

    /** The strategy of the queue's ClusterQueue; empty where there is no queue, or the server may not read it. */
    Optional<String> strategy() {
        return localQueue()
                .map(queue -> queue.<String>get("spec", "clusterQueue"))
                .flatMap(name -> newest(version -> calls.client()
                        .genericKubernetesResources(kind(version, "ClusterQueue", "clusterqueues", false))
                        .withName(name)
                        .get()))
                .map(queue -> queue.<String>get("spec", "queueingStrategy"));
    }

    /** The LocalQueue of the settings; empty where there is none, or the server may not read it. */
    Optional<GenericKubernetesResource> localQueue() {
        String queue = calls.settings().queue();
        return queue == null
                ? Optional.empty()
                : newest(version -> calls.client()
                        .genericKubernetesResources(kind(version, "LocalQueue", "localqueues", true))
                        .inNamespace(calls.namespace())
                        .withName(queue)
                        .get());
    }

    /** A kind of Kueue's, which the client else would ask the cluster about. */
    static ResourceDefinitionContext kind(String version, String kind, String plural, boolean isNamespaced) {
        return new ResourceDefinitionContext.Builder()
                .withGroup(KUEUE)
                .withVersion(version)
                .withKind(kind)
                .withPlural(plural)
                .withNamespaced(isNamespaced)
                .build();
    }

    /** What is there in the newest version of Kueue's API that the cluster has. */
    private <T> Optional<T> newest(Function<String, T> call) {
        return KUEUES_VERSIONS.stream()
                .map(version -> read(() -> call.apply(version)))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private <T> Optional<T> read(Supplier<T> call) {
        try {
            return Optional.ofNullable(call.get());
        } catch (KubernetesClientException e) {
            if (Failures.isForbidden(e) || Failures.isNotFound(e)) {
                return Optional.empty();
            }
            throw calls.failures().of("read what the cluster has", e);
        }
    }

    /** What the nodes hold, where the server may see them; else what the namespace may use. */
    String capacity() {
        return nodes().map(this::ofNodes).orElseGet(() -> ofQuotas(quotas()));
    }

    /** The nodes that take pods; empty where the server may not see any. */
    Optional<List<Node>> nodes() {
        return read(() -> calls.client().nodes().list().getItems())
                .map(nodes -> nodes.stream()
                        .filter(node -> !Boolean.TRUE.equals(node.getSpec().getUnschedulable()))
                        .toList());
    }

    /** How much of a resource these nodes have for pods. */
    static BigDecimal sum(List<Node> nodes, String resource) {
        return nodes.stream()
                .map(node -> node.getStatus().getAllocatable())
                .map(amounts -> amounts == null ? null : amounts.get(resource))
                .map(amount -> amount == null ? BigDecimal.ZERO : amount.getNumericalAmount())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private String ofNodes(List<Node> nodes) {
        return nodes.size() + (nodes.size() == 1 ? " node, " : " nodes, ") + whole(sum(nodes, "cpu")) + " cores, "
                + whole(sum(nodes, calls.settings().nodes().gpuResource())) + " GPUs";
    }

    private static String whole(BigDecimal amount) {
        return amount.setScale(0, RoundingMode.DOWN).toPlainString();
    }

    List<ResourceQuota> quotas() {
        return read(() -> calls.client()
                        .resourceQuotas()
                        .inNamespace(calls.namespace())
                        .list()
                        .getItems())
                .orElse(List.of());
    }

    private static String ofQuotas(List<ResourceQuota> quotas) {
        Map<String, Quantity> hard = new TreeMap<>();
        quotas.stream()
                .filter(quota -> quota.getSpec().getHard() != null)
                .forEach(quota -> hard.putAll(quota.getSpec().getHard()));
        return hard.isEmpty()
                ? ""
                : "the namespace may use "
                        + hard.entrySet().stream()
                                .map(amount -> amount.getKey() + " " + amount.getValue())
                                .collect(Collectors.joining(", "));
    }
}
