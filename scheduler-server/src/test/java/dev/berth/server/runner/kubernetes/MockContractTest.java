package dev.berth.server.runner.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;

/** The contract on the mock server, made as strict as a real one. */
class MockContractTest extends KubernetesContract {
    private final MockCluster cluster = new MockCluster();

    @Override
    KubernetesClient client() {
        return cluster.client();
    }

    @Override
    String namespace() {
        return "lab";
    }

    @AfterEach
    void close() {
        cluster.close();
    }
}
