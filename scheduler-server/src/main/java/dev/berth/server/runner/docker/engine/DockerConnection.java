package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Version;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import dev.berth.server.linux.PeerProcess;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.time.Clocks;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * The way to one Docker Engine: the version that both sides speak, a deadline on each call, one kind of exception, and
 * whether it answers at all. Safe for any thread.
 */
final class DockerConnection implements AutoCloseable {
    /** The newest API version Berth was written against; engine 29 refuses everything older. */
    private static final String NEWEST_API = "1.44";

    private static final Duration CONNECT_DEADLINE = Duration.ofSeconds(10);
    private static final Duration PING_DEADLINE = Duration.ofSeconds(1);
    private static final Duration FRESH_DEADLINE = Duration.ofSeconds(5);

    /** The time that a call takes that nobody wonders about. */
    private static final Duration SUSPICIOUS = Duration.ofSeconds(3);

    /** The interval at which a call that takes longer is looked at from our side. */
    private static final Duration LOOK = Duration.ofMillis(500);

    private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
    private final Clocks clock;
    private final DefaultDockerClientConfig config;
    private final EngineWatch watch;
    private final String host;
    private final Version version;
    private final DockerClient client;

    /**
     * Connects to the engine that {@code DOCKER_HOST} names, else to the usual socket.
     *
     * @throws EngineException of kind UNREACHABLE where none answers
     */
    DockerConnection(Clocks clock, BackgroundWork background) {
        DefaultDockerClientConfig first =
                DefaultDockerClientConfig.createDefaultConfigBuilder().build();
        this.clock = clock;
        this.host = first.getDockerHost().toString();
        // docker-java neither has a default version nor negotiates; calls without one work on every engine.
        try (DockerClient unversioned = connect(first)) {
            this.version = once(
                    CONNECT_DEADLINE, "answer", () -> unversioned.versionCmd().exec());
        } catch (IOException e) {
            throw new EngineException(Kind.UNREACHABLE, unreachable(), e);
        }
        this.config = DefaultDockerClientConfig.createDefaultConfigBuilder()
                .withApiVersion(apiVersion(version))
                .build();
        this.client = connect(config);
        this.watch = new EngineWatch(
                () -> ping(client, PING_DEADLINE), clock.steady(), background.tasks("look for the container engine"));
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

    /** The socket where the engine listens on this machine, or usually does. */
    Path socket() {
        URI address = URI.create(host);
        return Path.of("unix".equals(address.getScheme()) ? address.getPath() : "/var/run/docker.sock");
    }

    /** Whether it is reached by a socket of this machine. */
    boolean isBySocket() {
        return host.startsWith("unix:");
    }

    DockerClient client() {
        return client;
    }

    Version version() {
        return version;
    }

    EngineWatch watch() {
        return watch;
    }

    InstantSource clock() {
        return clock.dates();
    }

    Clocks clocks() {
        return clock;
    }

    /**
     * Whether it answers on a new connection, with whatever; one that is frozen, or has much to do, does not, and neither does
     * one that stops where the system's manager listens for it. One that stops goes on answering on the connections that
     * there are.
     *
     * @throws EngineException of kind UNREACHABLE where nobody takes new connections: one that stops closes its socket before
     *     it ends its containers (dockerd, {@code DaemonCli.start})
     */
    boolean answersAnew() {
        try (DockerClient fresh = connect(config)) {
            ping(fresh, FRESH_DEADLINE);
            return true;
        } catch (EngineException e) {
            if (e.kind() == Kind.UNREACHABLE && isRefused(e)) {
                throw e;
            }
            return e.kind() == Kind.FAILING;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean isRefused(EngineException failure) {
        if (!isBySocket()) {
            return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                    .anyMatch(ConnectException.class::isInstance);
        }
        try {
            OptionalLong _ = PeerProcess.of(socket());
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A question that every engine answers at once. */
    private void ping(DockerClient asked, Duration deadline) {
        try {
            once(deadline, "answer a ping", () -> asked.pingCmd().exec());
        } catch (EngineException e) {
            boolean answered = e.kind() == Kind.REFUSED || e.kind() == Kind.NOT_FOUND;
            if (!answered) {
                throw e;
            }
        }
    }

    /**
     * Makes one call, with a deadline: no timeout of the library works over a Unix socket, but interrupting does.
     *
     * @param verb what the engine was asked to do, for the error's sentence
     */
    <T> T within(Duration deadline, String verb, Callable<T> call) {
        return within(deadline, Duration.ZERO, verb, call);
    }

    /**
     * The answer of a call that takes its time.
     *
     * @param usual how long it may take in any case: one that was begun before the engine went away and came back is
     *     waited for no longer, for it may be on a connection that nobody hears
     */
    <T> T within(Duration deadline, Duration usual, String verb, Callable<T> call) {
        Instant began = clock.instant();
        int returns = watch.returns();
        Future<T> answer = submit(verb, call);
        Duration waited = Duration.ZERO;
        while (true) {
            Duration look = min(waited.isZero() ? SUSPICIOUS : LOOK, deadline.minus(waited));
            try {
                return await(answer, look, verb);
            } catch (TimeoutException e) {
                waited = waited.plus(look);
                boolean overtaken = watch.returns() != returns && waited.compareTo(usual) > 0;
                if (overtaken || waited.compareTo(deadline) >= 0) {
                    answer.cancel(true);
                    throw late(!overtaken && watch.answers() ? Kind.LATE : Kind.UNREACHABLE, waited, verb, e);
                }
                if (waited.toMillis() % SUSPICIOUS.toMillis() == 0) {
                    watch.suspect(began);
                }
            } catch (EngineException e) {
                if (e.kind() == Kind.UNREACHABLE || e.kind() == Kind.FAILING) {
                    watch.suspect(began);
                }
                throw e;
            }
        }
    }

    /** The answer of a single call, from which nothing else follows. */
    private <T> T once(Duration deadline, String verb, Callable<T> call) {
        Future<T> answer = submit(verb, call);
        try {
            return await(answer, deadline, verb);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw late(Kind.UNREACHABLE, deadline, verb, e);
        }
    }

    private <T> Future<T> submit(String verb, Callable<T> call) {
        try {
            return calls.submit(call);
        } catch (RejectedExecutionException e) {
            throw new EngineException(Kind.INTERRUPTED, "the server ends, and the engine was to " + verb, e);
        }
    }

    private <T> T await(Future<T> answer, Duration patience, String verb) throws TimeoutException {
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new EngineException(Kind.INTERRUPTED, "interrupted while the Docker Engine was to " + verb, e);
        } catch (ExecutionException e) {
            throw translated(e.getCause() == null ? e : e.getCause());
        }
    }

    private EngineException late(Kind kind, Duration waited, String verb, TimeoutException cause) {
        return new EngineException(
                kind,
                "the Docker Engine at " + host + " did not " + verb + " within " + waited.toSeconds() + " s",
                cause);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /** Any failure of docker-java's as one of ours. */
    EngineException translated(Throwable failure) {
        return switch (failure) {
            case EngineException already -> already;
            case ExecutionException wrapped when wrapped.getCause() != null -> translated(wrapped.getCause());
            case DockerException answered ->
                new EngineException(Failures.kindOf(answered), Failures.messageOf(answered), answered);
            default ->
                Failures.isUnreadable(failure)
                        ? new EngineException(
                                Kind.FAILING,
                                "the Docker Engine's answer cannot be read: " + failure.getMessage(),
                                failure)
                        : new EngineException(Kind.UNREACHABLE, unreachable(), failure);
        };
    }

    private String unreachable() {
        Path socket = socket();
        if (isBySocket() && Files.exists(socket) && !Files.isWritable(socket)) {
            return "the Docker Engine at " + host + " may not be used by you; join the group docker (usermod -aG"
                    + " docker USER, then log in again), or let root start the server";
        }
        return "no Docker Engine answers at " + host + "; start it (systemctl start docker), or set DOCKER_HOST";
    }

    @Override
    public void close() {
        watch.close();
        calls.shutdownNow();
        try {
            client.close();
        } catch (IOException e) {
            throw new EngineException(Kind.UNREACHABLE, "the connection to " + host + " did not close", e);
        }
    }
}
