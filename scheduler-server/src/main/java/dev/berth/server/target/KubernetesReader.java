package dev.berth.server.target;

import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.server.config.Lines;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Scalar;
import dev.berth.server.target.KubernetesFields.SnapshotWay;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings of a Kubernetes cluster. */
final class KubernetesReader {
    static final List<String> KNOWN = List.of(
            "kubeconfig",
            "context",
            "namespace",
            "queue",
            "node-selector",
            "tolerations",
            "runtime-class",
            "gpu-resource",
            "gpu-types",
            "image-pull-secrets",
            "snapshot",
            "start-deadline",
            "deadline");

    private static final List<String> WAYS = List.of("volume", "fetch", "secret");

    private KubernetesReader() {}

    static KubernetesFields read(Lines lines, Entry section) {
        Fields fields = new Fields(lines, section, "a Kubernetes target", KNOWN);
        return new KubernetesFields(
                fields.path("kubeconfig"),
                fields.text("context", Rule.CONTEXT),
                fields.text("namespace", Rule.NAMESPACE),
                fields.text("queue", Rule.KUBERNETES_NAME),
                fields.map("node-selector", Rule.LABEL, Rule.LABEL_VALUE),
                tolerations(fields),
                fields.text("runtime-class", Rule.KUBERNETES_NAME),
                fields.text("gpu-resource", Rule.RESOURCE),
                fields.maps("gpu-types", Rule.GPU_WORD, Rule.LABEL, Rule.LABEL_VALUE),
                fields.texts("image-pull-secrets", Rule.KUBERNETES_NAME),
                snapshot(fields),
                fields.duration("start-deadline"),
                fields.duration("deadline"));
    }

    private static List<Toleration> tolerations(Fields fields) {
        Entry list = fields.entry("tolerations");
        return list == null ? List.of() : NodeReader.tolerations(fields.lines(), list);
    }

    private static @Nullable SnapshotWay snapshot(Fields fields) {
        Entry entry = fields.entry("snapshot");
        if (entry == null || (entry.value() instanceof Scalar scalar && scalar.isNull())) {
            return null;
        }
        if (entry.value() instanceof Scalar scalar) {
            if (!scalar.text().equals("secret")) {
                fields.lines()
                        .broken(
                                entry,
                                scalar.text(),
                                "must be secret, or a section: volume: with claim: and path:, or fetch: with url:");
            }
            return new SnapshotWay.Secret();
        }
        Fields ways = new Fields(fields.lines(), entry, "a snapshot", WAYS);
        List<Entry> said =
                WAYS.stream().map(ways::entry).flatMap(Stream::ofNullable).toList();
        if (said.size() != 1) {
            ways.refuse("must be one of volume:, fetch: and secret, and " + said.size() + " of them are there");
            return null;
        }
        return way(fields.lines(), said.getFirst());
    }

    private static @Nullable SnapshotWay way(Lines lines, Entry way) {
        if (way.name().endsWith(".volume")) {
            Fields volume = new Fields(lines, way, "a snapshot's volume", List.of("claim", "path"));
            String claim = volume.text("claim", Rule.KUBERNETES_NAME);
            Path path = volume.path("path");
            if (!volume.has("claim") || !volume.has("path")) {
                volume.refuse("needs claim:, the volume's claim in the cluster, and path:, where this machine has it");
            }
            return claim == null || path == null ? null : new SnapshotWay.Volume(claim, path);
        }
        if (way.name().endsWith(".fetch")) {
            Fields fetch = new Fields(lines, way, "a snapshot's fetch", List.of("url", "image"));
            String url = fetch.text("url", Rule.URL);
            String image = fetch.text("image", Rule.IMAGE);
            if (!fetch.has("url")) {
                fetch.refuse("needs url:, this server's address as the cluster's nodes reach it");
            }
            return url == null ? null : new SnapshotWay.Fetch(url, image);
        }
        return new SnapshotWay.Secret();
    }
}
