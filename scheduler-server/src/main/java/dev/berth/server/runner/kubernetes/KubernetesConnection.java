package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.kubernetes.KubernetesSettings.Access;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Makes the client of a cluster. It asks nobody before its first call, and tries nothing twice: who calls knows when to. */
final class KubernetesConnection {
    private KubernetesConnection() {}

    /**
     * The client.
     *
     * @throws EngineException {@code REFUSED} where there is no such kubeconfig, or none that can be read
     */
    static KubernetesClient open(KubernetesSettings settings) {
        int deadline = Math.toIntExact(settings.callDeadline().toMillis());
        Config config = new ConfigBuilder(config(settings.access()))
                .withNamespace(settings.namespace())
                .withRequestTimeout(deadline)
                .withConnectionTimeout(deadline)
                .withRequestRetryBackoffLimit(0)
                .withWatchReconnectLimit(0)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static Config config(Access access) {
        Path file = access.kubeconfig();
        if (file == null) {
            return withContext(
                    "what kubectl takes as kubeconfig", access.context(), Config.autoConfigure(access.context()));
        }
        if (!Files.isReadable(file)) {
            throw new EngineException(
                    Kind.REFUSED, "the kubeconfig " + file + " is not there, or this server may not read it");
        }
        try {
            return withContext(
                    "the kubeconfig " + file, access.context(), Config.fromKubeconfig(access.context(), file.toFile()));
        } catch (KubernetesClientException | YamlEngineException | IllegalArgumentException e) {
            throw new EngineException(
                    Kind.REFUSED,
                    "the kubeconfig " + file + " is not one that kubectl would take (" + e.getMessage() + ")",
                    e);
        }
    }

    /** The client's library takes another cluster, or the usual address, where the kubeconfig has no such context, and says nothing. */
    private static Config withContext(String kubeconfig, @Nullable String context, Config config) {
        if (context != null && config.getContexts().stream().noneMatch(one -> context.equals(one.getName()))) {
            throw new EngineException(
                    Kind.REFUSED,
                    kubeconfig + " has no context " + context + "; kubectl config get-contexts lists those it has");
        }
        return config;
    }
}
