package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.target.TargetEngine.Finding;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Looks at all that a job needs of a cluster, before one is handed over: each thing by itself, with what mends it. */
record Examination(ClusterCalls calls, ClusterHealth health) {

    /** A right that the server needs. */
    private record Right(String verb, String group, String resource, String part) {
        String text() {
            return verb + " " + resource + (part.isEmpty() ? "" : "/" + part);
        }
    }

    private static final List<Right> NEEDED = List.of(
            new Right("create", "batch", "jobs", ""),
            new Right("get", "batch", "jobs", ""),
            new Right("list", "batch", "jobs", ""),
            new Right("watch", "batch", "jobs", ""),
            new Right("patch", "batch", "jobs", ""),
            new Right("delete", "batch", "jobs", ""),
            new Right("list", "", "pods", ""),
            new Right("watch", "", "pods", ""),
            new Right("delete", "", "pods", ""),
            new Right("get", "", "pods", "log"),
            new Right("get", "", "secrets", ""),
            new Right("create", "", "secrets", ""),
            new Right("delete", "", "secrets", ""));

    List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        Finding reachable = reachable();
        all.add(reachable);
        if (!reachable.isWell()) {
            return all;
        }
        add(all, "starts", this::starts);
        add(all, "namespace", this::namespace);
        add(all, "rights", this::rights);
        if (calls.settings().queue() != null) {
            add(all, "queue", this::queue);
        }
        add(all, "quota", this::quota);
        add(all, "GPUs", this::gpus);
        add(all, "snapshots", this::snapshots);
        add(all, "results", this::results);
        add(all, "metrics", this::metrics);
        for (String secret : calls.settings().imagePullSecrets()) {
            add(all, "image pull secret " + secret, () -> pullSecret(secret));
        }
        return all;
    }

    private static void add(List<Finding> all, String name, Supplier<Finding> look) {
        try {
            all.add(look.get());
        } catch (EngineException e) {
            all.add(Finding.failure(name, e.sentence()));
        }
    }

    private Kubectl kubectl() {
        return calls.failures().kubectl().ofAdministrator();
    }

    private Finding reachable() {
        try {
            return Finding.well(
                    "API server",
                    "Kubernetes " + health.version().getGitVersion() + " answers at "
                            + calls.failures().server());
        } catch (EngineException e) {
            return Finding.failure(
                    "API server", e.sentence(), calls.failures().kubectl().command("get --raw /readyz"));
        }
    }

    private Finding starts() {
        String name = "starts";
        return OneStart.isSure(health.version())
                ? Finding.well(name, "a program begins once")
                : Finding.warning(
                        name,
                        "Kubernetes before 1.26 makes another pod where one is deleted or its node drained: a program begins"
                                + " a second time where that happens before this server has seen it run",
                        "bring the cluster to Kubernetes 1.26 or later");
    }

    private Finding namespace() {
        String name = "namespace";
        String namespace = calls.namespace();
        try {
            return calls.client().namespaces().withName(namespace).get() == null
                    ? Finding.failure(
                            name,
                            "there is no namespace " + namespace,
                            kubectl().command("create namespace " + namespace))
                    : Finding.well(name, "namespace " + namespace + " is there");
        } catch (KubernetesClientException e) {
            if (Failures.isForbidden(e)) {
                return Finding.well(
                        name,
                        "the server may not ask whether namespace " + namespace + " is there; what follows tells it");
            }
            throw calls.failures().of("read namespaces", e);
        }
    }

    private Finding rights() {
        Rights rights = new Rights(calls);
        List<String> missing = NEEDED.stream()
                .filter(right -> !rights.may(right.verb(), right.group(), right.resource(), right.part()))
                .map(Right::text)
                .toList();
        return missing.isEmpty()
                ? Finding.well("rights", "the server has the rights that it needs in namespace " + calls.namespace())
                : Finding.failure(
                        "rights",
                        "in namespace " + calls.namespace() + " the server may not: " + String.join(", ", missing),
                        kubectl().command("apply -f role.yaml") + ", with the Role of docs/kubernetes.md");
    }

    private Finding queue() {
        String name = "queue";
        String queue = calls.settings().queue();
        if (health.localQueue().isEmpty()) {
            return Finding.failure(
                    name,
                    "there is no LocalQueue " + queue + " of Kueue in namespace " + calls.namespace()
                            + ", or the server may not read it: jobs would wait for ever",
                    kubectl().inNamespace("get localqueues.kueue.x-k8s.io"));
        }
        Optional<String> strategy = health.strategy();
        if (strategy.isEmpty()) {
            return Finding.well(name, "LocalQueue " + queue + " is there; its order is not to be seen from here");
        }
        return strategy.get().equals("StrictFIFO")
                ? Finding.well(name, "LocalQueue " + queue + " is first in, first out (StrictFIFO)")
                : Finding.warning(
                        name,
                        "the ClusterQueue of " + queue + " is " + strategy.get() + ": a later job may overtake",
                        kubectl()
                                .command("patch clusterqueue NAME --type merge -p"
                                        + " '{\"spec\":{\"queueingStrategy\":\"StrictFIFO\"}}'"));
    }

    private Finding quota() {
        List<ResourceQuota> quotas = health.quotas();
        Optional<String> full = quotas.stream()
                .filter(quota -> quota.getStatus() != null
                        && quota.getStatus().getHard() != null
                        && quota.getStatus().getUsed() != null)
                .flatMap(quota -> quota.getStatus().getHard().entrySet().stream()
                        .filter(hard -> quota.getStatus().getUsed().containsKey(hard.getKey())
                                && quota.getStatus()
                                                .getUsed()
                                                .get(hard.getKey())
                                                .getNumericalAmount()
                                                .compareTo(hard.getValue().getNumericalAmount())
                                        >= 0)
                        .map(hard ->
                                quota.getMetadata().getName() + " of " + hard.getKey() + " (" + hard.getValue() + ")"))
                .findFirst();
        return full.map(which -> Finding.warning(
                        "quota",
                        "quota " + which + " is used up: jobs wait",
                        kubectl().inNamespace("describe quota")))
                .orElseGet(() -> Finding.well(
                        "quota", quotas.isEmpty() ? "no quota is to be seen" : "no quota of the namespace is used up"));
    }

    private Finding gpus() {
        String resource = calls.settings().nodes().gpuResource();
        Optional<List<Node>> nodes = health.nodes();
        if (nodes.isEmpty()) {
            return Finding.well("GPUs", "the server may not see the nodes, and so not whether they have GPUs");
        }
        return ClusterHealth.sum(nodes.get(), resource).signum() > 0
                ? Finding.well("GPUs", health.capacity())
                : Finding.warning(
                        "GPUs",
                        "no node has any " + resource + ": jobs that ask for GPUs would wait for ever",
                        kubectl().command("get pods -A | grep -i device-plugin")
                                + "; NVIDIA's device plugin or GPU operator must run");
    }

    private Finding snapshots() {
        String name = "snapshots";
        return switch (calls.settings().snapshots()) {
            case SnapshotWay.OnVolume volume
            when !Files.isWritable(volume.directory()) ->
                Finding.failure(
                        name,
                        "the server cannot write to " + volume.directory() + ", where the volume of claim "
                                + volume.claim() + " should be",
                        "mount the volume there");
            case SnapshotWay.OnVolume volume ->
                calls.failures()
                                        .call(
                                                "read claims",
                                                () -> calls.client()
                                                        .persistentVolumeClaims()
                                                        .inNamespace(calls.namespace())
                                                        .withName(volume.claim())
                                                        .get())
                                == null
                        ? Finding.failure(
                                name,
                                "there is no claim " + volume.claim() + " in namespace " + calls.namespace(),
                                kubectl().inNamespace("get pvc"))
                        : Finding.well(name, "directories go by claim " + volume.claim());
            case SnapshotWay.ByLink link ->
                Finding.well(
                        name,
                        "pods fetch directories from " + link.server() + "; whether they can, a job shows (trial)");
            case SnapshotWay.InSecret _ ->
                Finding.well(
                        name,
                        "directories of up to " + SnapshotArchives.MAX_PACKED_BYTES / 1_000
                                + " kB packed go by Secrets");
        };
    }

    private Finding results() {
        return Finding.well(
                "results",
                calls.settings().snapshots() instanceof SnapshotWay.OnVolume volume
                        ? "what programs leave in $BERTH_OUTPUT_DIR comes back by claim " + volume.claim()
                        : "what programs leave in files goes with their pods; with the target's setting snapshot: volume it"
                                + " comes back from $BERTH_OUTPUT_DIR");
    }

    private Finding metrics() {
        return Finding.well(
                "metrics",
                health.hasSidecars()
                        ? "what programs write to $BERTH_TRACK is read"
                        : "what programs write to $BERTH_TRACK is not read, as Kubernetes before 1.32 may have nodes without"
                                + " containers that end after the program; what they print is (--track stdout)");
    }

    private Finding pullSecret(String secret) {
        String name = "image pull secret " + secret;
        return calls.hasSecret(secret)
                ? Finding.well(name, "it is there")
                : Finding.failure(
                        name,
                        "there is no Secret " + secret + " in namespace " + calls.namespace(),
                        kubectl()
                                .inNamespace("create secret docker-registry " + secret
                                        + " --docker-server=... --docker-username=... --docker-password=..."));
    }
}
