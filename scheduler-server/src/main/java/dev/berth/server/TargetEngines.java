package dev.berth.server;

import dev.berth.server.linux.UserThreads;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.kubernetes.KubernetesEngine;
import dev.berth.server.runner.kubernetes.KubernetesSettings;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Access;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Nodes;
import dev.berth.server.runner.kubernetes.KubernetesSettings.SnapshotWay;
import dev.berth.server.runner.kubernetes.OwnServer;
import dev.berth.server.runner.slurm.SlurmEngine;
import dev.berth.server.runner.target.HandoverLinks;
import dev.berth.server.runner.target.TargetEngine;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.server.target.KubernetesFields;
import dev.berth.server.target.TargetConfig;
import dev.berth.server.target.TargetConfig.EngineSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the engines of a server's targets, none of which is asked anything yet.
 *
 * @param server the server's id
 * @param uid whom it runs as
 * @param links by which a target fetches what jobs were submitted with
 */
record TargetEngines(String server, long uid, HandoverLinks links, InstantSource clock) {
    private static final String DEFAULT_NAMESPACE = "default";

    /**
     * The targets of the configuration.
     *
     * @throws StartException where a file that it names cannot be read
     */
    Targets of(List<TargetConfig> configured) {
        SortedMap<String, Target> targets = new TreeMap<>();
        for (TargetConfig config : configured) {
            String name = config.settings().name();
            try {
                targets.put(name, new Target(config.settings(), engine(config.engine())));
            } catch (EngineException e) {
                throw StartException.failed("target " + name + ": " + e.sentence());
            }
        }
        return new Targets(targets);
    }

    private TargetEngine engine(EngineSettings settings) {
        return switch (settings) {
            case EngineSettings.Slurm slurm -> new SlurmEngine(slurm.settings(), uid, new Users(), clock);
            case EngineSettings.Kubernetes kubernetes ->
                KubernetesEngine.of(new OwnServer(server, links::link, files()), settings(kubernetes.fields()), clock);
        };
    }

    private UserThreads files() {
        return uid == 0 ? UserThreads.ofRoot() : UserThreads.own();
    }

    private static KubernetesSettings settings(KubernetesFields fields) {
        return new KubernetesSettings(
                new Access(fields.kubeconfig(), fields.context()),
                Objects.requireNonNullElse(fields.namespace(), DEFAULT_NAMESPACE),
                fields.queue(),
                new Nodes(
                        fields.nodeSelector(),
                        fields.tolerations(),
                        fields.runtimeClass(),
                        Objects.requireNonNullElse(fields.gpuResource(), KubernetesSettings.DEFAULT_GPU_RESOURCE),
                        fields.gpuTypes()),
                fields.imagePullSecrets(),
                way(fields.snapshot()),
                Objects.requireNonNullElse(fields.startDeadline(), KubernetesSettings.DEFAULT_START_DEADLINE),
                Objects.requireNonNullElse(fields.deadline(), KubernetesSettings.DEFAULT_CALL_DEADLINE));
    }

    private static SnapshotWay way(KubernetesFields.@Nullable SnapshotWay said) {
        String usual = KubernetesSettings.DEFAULT_SNAPSHOT_IMAGE;
        return switch (said) {
            case KubernetesFields.SnapshotWay.Volume volume ->
                new SnapshotWay.OnVolume(volume.claim(), volume.path(), usual);
            case KubernetesFields.SnapshotWay.Fetch fetch ->
                new SnapshotWay.ByLink(fetch.url(), Objects.requireNonNullElse(fetch.image(), usual));
            case KubernetesFields.SnapshotWay.Secret _ -> new SnapshotWay.InSecret(usual);
            case null -> new SnapshotWay.InSecret(usual);
        };
    }
}
