package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.berth.server.http.KeyStoreFiles;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The kubelet of a real cluster's node {@code berth-test-node}, which has none: it says how pods are, hands the API server what they
 * have written, and lets those go that are deleted. No program runs.
 */
final class PlayedKubelet implements AutoCloseable {
    private static final String NODE = "berth-test-node";
    private static final Duration STEP = Duration.ofMillis(200);

    private final Map<String, String> logs = new ConcurrentHashMap<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final FutureTask<Void> removal = new FutureTask<>(this::removeDeleted, null);
    private final KubernetesClient client;
    private final String namespace;
    private final HttpsServer server;

    /** Begins to be one, with files in a directory. */
    PlayedKubelet(KubernetesClient client, String namespace, Path directory) throws IOException {
        this.client = client;
        this.namespace = namespace;
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(
                KeyStoreFiles.of(new KeyStoreFiles(directory).store("kubelet", "EC", "secp256r1"))));
        server.createContext("/containerLogs/", this::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        var _ = client.nodes()
                .withName(NODE)
                .editStatus(node -> new NodeBuilder(node)
                        .editStatus()
                        .withAddresses()
                        .addNewAddress("127.0.0.1", "InternalIP")
                        .withNewDaemonEndpoints()
                        .withNewKubeletEndpoint(server.getAddress().getPort())
                        .endDaemonEndpoints()
                        .endStatus()
                        .build());
        var _ = Thread.ofVirtual().name("kubelet").start(removal);
    }

    /** The path is {@code /containerLogs/NAMESPACE/POD/CONTAINER}; a time that is asked from is one of whole seconds. */
    private void answer(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/");
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        String since = query.contains("sinceTime=") ? query.replaceAll(".*sinceTime=([^&Z]+).*", "$1") : "";
        String lines = Arrays.stream(
                        logs.getOrDefault(path[3] + "/" + path[4], "").split("(?<=\n)"))
                .filter(line -> line.compareTo(since) >= 0)
                .reduce("", String::concat);
        byte[] body = lines.getBytes(UTF_8);
        exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void removeDeleted() {
        try {
            while (!end.await(STEP.toMillis(), TimeUnit.MILLISECONDS)) {
                client.pods().inNamespace(namespace).list().getItems().stream()
                        .filter(pod -> pod.getMetadata().getDeletionTimestamp() != null)
                        .forEach(pod -> client.resource(pod).withGracePeriod(0).delete());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds to what a container has written, each line with its time. */
    void write(Pod pod, String container, String lines) {
        logs.merge(pod.getMetadata().getName() + "/" + container, lines, String::concat);
    }

    /** Says how the program of a pod is. */
    static void status(
            KubernetesClient client, Pod pod, String phase, UnaryOperator<ContainerStatusBuilder> container) {
        var _ = client.resource(pod)
                .editStatus(now -> new PodBuilder(now)
                        .editStatus()
                        .withPhase(phase)
                        .withContainerStatuses(container
                                .apply(new ContainerStatusBuilder()
                                        .withName("job")
                                        .withImage("python:3.13")
                                        .withImageID("")
                                        .withReady(false)
                                        .withRestartCount(0))
                                .build())
                        .endStatus()
                        .build());
    }

    /** Says that it has ended. */
    static void ended(KubernetesClient client, Pod pod, int exitCode) {
        status(
                client,
                pod,
                exitCode == 0 ? "Succeeded" : "Failed",
                container -> container
                        .withNewState()
                        .withNewTerminated()
                        .withExitCode(exitCode)
                        .withReason(exitCode == 0 ? "Completed" : "Error")
                        .withStartedAt("2026-11-28T12:01:00Z")
                        .withFinishedAt("2026-11-28T12:05:00Z")
                        .endTerminated()
                        .endState());
    }

    @Override
    public void close() {
        end.countDown();
        try {
            Void _ = removal.get();
        } catch (ExecutionException e) {
            throw new AssertionError("the kubelet failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            server.stop(0);
        }
    }
}
