package dev.berth.server.container.docker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Version;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import dev.berth.server.container.EngineException;
import dev.berth.server.container.EngineException.Kind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way to one Docker Engine: the version that both sides speak, a deadline on each call, one kind of exception.
 * Safe for any thread.
 */
final class DockerConnection implements AutoCloseable {
    /** The newest API version Berth was written against; engine 29 refuses everything older. */
    private static final String NEWEST_API = "1.44";

    private static final Duration CONNECT_DEADLINE = Duration.ofSeconds(10);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
    private final String host;
    private final Version version;
    private final DockerClient client;

    /**
     * Connects to the engine that {@code DOCKER_HOST} names, else to the usual socket.
     *
     * @throws EngineException of kind UNREACHABLE where none answers
     */
    DockerConnection() {
        DefaultDockerClientConfig config =
                DefaultDockerClientConfig.createDefaultConfigBuilder().build();
        this.host = config.getDockerHost().toString();
        // docker-java neither has a default version nor negotiates; calls without one work on every engine.
        try (DockerClient unversioned = connect(config)) {
            this.version = within(
                    CONNECT_DEADLINE, "answer", () -> unversioned.versionCmd().exec());
        } catch (IOException e) {
            throw new EngineException(Kind.UNREACHABLE, unreachable(e), e);
        }
        this.client = connect(DefaultDockerClientConfig.createDefaultConfigBuilder()
                .withApiVersion(apiVersion(version))
                .build());
    }

    private static DockerClient connect(DefaultDockerClientConfig config) {
        return DockerClientImpl.getInstance(
                config,
                new ZerodepDockerHttpClient.Builder()
                        .dockerHost(config.getDockerHost())
                        .sslConfig(config.getSSLConfig())
                        // Each log and event stream takes a connection of its own.
                        .maxConnections(Integer.MAX_VALUE)
                        .build());
    }

    private static String apiVersion(Version engine) {
        String newest = min(engine.getApiVersion(), NEWEST_API);
        Object oldest = engine.getRawValues().get("MinAPIVersion");
        return oldest instanceof String least && compare(newest, least) < 0 ? least : newest;
    }

    private static String min(String a, String b) {
        return compare(a, b) <= 0 ? a : b;
    }

    private static int compare(String a, String b) {
        String[] left = a.split("\\.");
        String[] right = b.split("\\.");
        int major = Integer.compare(Integer.parseInt(left[0]), Integer.parseInt(right[0]));
        return major != 0 ? major : Integer.compare(Integer.parseInt(left[1]), Integer.parseInt(right[1]));
    }

    /** Where the engine listens on this machine, or usually does. */
    Path socket() {
        URI address = URI.create(host);
        return Path.of("unix".equals(address.getScheme()) ? address.getPath() : "/var/run/docker.sock");
    }

    DockerClient client() {
        return client;
    }

    Version version() {
        return version;
    }

    /**
     * Makes one call, with a deadline: no timeout of the library works over a Unix socket, but interrupting does.
     *
     * @param verb what the engine was asked to do, for the error's sentence
     */
    <T> T within(Duration deadline, String verb, Callable<T> call) {
        Future<T> answer = calls.submit(call);
        try {
            return answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new EngineException(
                    Kind.UNREACHABLE,
                    "the Docker Engine at " + host + " did not " + verb + " within " + deadline.toSeconds() + " s",
                    e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new EngineException(Kind.INTERRUPTED, "interrupted while the Docker Engine was to " + verb, e);
        } catch (ExecutionException e) {
            throw translated(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Any failure of docker-java's as one of ours. */
    EngineException translated(Throwable failure) {
        return switch (failure) {
            case EngineException already -> already;
            case ExecutionException wrapped when wrapped.getCause() != null -> translated(wrapped.getCause());
            case NotFoundException notFound -> new EngineException(Kind.NOT_FOUND, messageOf(notFound), notFound);
            case DockerException answered -> new EngineException(Kind.REFUSED, messageOf(answered), answered);
            default -> new EngineException(Kind.UNREACHABLE, unreachable(failure), failure);
        };
    }

    private String unreachable(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains("Permission denied")) {
                return "the Docker Engine at " + host + " may not be used by you; join the group docker (usermod -aG"
                        + " docker USER, then log in again), or let root start the server";
            }
        }
        return "no Docker Engine answers at " + host + "; start it (systemctl start docker), or set DOCKER_HOST";
    }

    /** The engine's own sentence, out of {@code Status 500: {"message":"..."}}. */
    static String messageOf(DockerException failure) {
        String text = failure.getMessage() == null ? "" : failure.getMessage();
        int brace = text.indexOf('{');
        if (brace < 0) {
            return text;
        }
        try {
            JsonNode message = JSON.readTree(text.substring(brace)).path("message");
            return message.isTextual() ? message.textValue().strip() : text;
        } catch (JsonProcessingException e) {
            return text;
        }
    }

    @Override
    public void close() {
        calls.shutdownNow();
        try {
            client.close();
        } catch (IOException e) {
            throw new EngineException(Kind.UNREACHABLE, "the connection to " + host + " did not close", e);
        }
    }
}
