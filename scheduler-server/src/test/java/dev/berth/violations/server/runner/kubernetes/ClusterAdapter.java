package dev.berth.violations.server.runner.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;

/** What may see the client of Kubernetes. */
public final class ClusterAdapter {
    private ClusterAdapter() {}

    static String kubernetes(KubernetesClient kubernetes) {
        return kubernetes.toString();
    }
}
