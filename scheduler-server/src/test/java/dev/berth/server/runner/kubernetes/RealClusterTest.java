package dev.berth.server.runner.kubernetes;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.File;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * The contract on a real API server, in a namespace of its own: {@code BERTH_TEST_KUBECONFIG=FILE mvn -pl scheduler-core,scheduler-server
 * test -Dgroups=kubernetes -Dtest.left-out= -Dtest=RealClusterTest -Dsurefire.failIfNoSpecifiedTests=false}. The file is one of somebody
 * who may do everything; {@code BERTH_TEST_NAMESPACE} names another namespace than {@code berth-contract}. The test makes the pods
 * itself, so no controller of Jobs may run beside it.
 */
@Tag("kubernetes")
class RealClusterTest extends KubernetesContract {
    private final KubernetesClient client = open();

    static KubernetesClient open() {
        String file = Objects.requireNonNull(
                System.getenv("BERTH_TEST_KUBECONFIG"), "BERTH_TEST_KUBECONFIG names a kubeconfig");
        Config config = new ConfigBuilder(Config.fromKubeconfig(new File(file)))
                .withRequestRetryBackoffLimit(0)
                .withWatchReconnectLimit(0)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    @Override
    KubernetesClient client() {
        return client;
    }

    @Override
    String namespace() {
        return Objects.requireNonNullElse(System.getenv("BERTH_TEST_NAMESPACE"), "berth-contract");
    }

    @AfterEach
    void close() {
        client.close();
    }
}
