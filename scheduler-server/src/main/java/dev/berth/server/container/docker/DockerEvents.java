package dev.berth.server.container.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventActor;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Recovery.Condition;
import dev.berth.server.container.ContainerEngine.ExitListener;
import dev.berth.server.container.ContainerNames;
import dev.berth.server.container.EngineException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine's {@code die} events: they come 13 to 60 ms before {@code wait} returns, and carry exit code and labels.
 * Where the stream breaks it is opened again, and the listener told to look for itself.
 */
final class DockerEvents implements AutoCloseable {
    /** The exit code of a program killed by the kernel, as all others that got SIGKILL. */
    private static final int KILLED = 137;

    private static final Duration CONNECT_DEADLINE = Duration.ofSeconds(30);
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1);

    private final DockerConnection connection;
    private final String server;
    private final Function<String, Optional<Condition>> inspect;
    private final ExitListener listener;

    private volatile boolean closed;
    private volatile @Nullable Subscription current;

    DockerEvents(
            DockerConnection connection,
            String server,
            Function<String, Optional<Condition>> inspect,
            ExitListener listener) {
        this.connection = connection;
        this.server = server;
        this.inspect = inspect;
        this.listener = listener;
        this.current = subscribe();
    }

    private Subscription subscribe() {
        return connection.within(CONNECT_DEADLINE, "tell of its events", () -> {
            Subscription subscription = connection
                    .client()
                    .eventsCmd()
                    .withEventFilter("die")
                    .withLabelFilter(Map.of(ContainerNames.SERVER_LABEL, server))
                    .exec(new Subscription());
            subscription.awaitStarted();
            return subscription;
        });
    }

    private void resubscribe(Duration wait) {
        if (closed) {
            return;
        }
        CompletableFuture.delayedExecutor(wait.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread)
                .execute(() -> {
                    try {
                        current = subscribe();
                        listener.resumed();
                    } catch (EngineException e) {
                        Duration longer = wait.multipliedBy(2);
                        resubscribe(longer.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : longer);
                    }
                });
    }

    @Override
    public void close() {
        closed = true;
        Subscription open = current;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final class Subscription extends ResultCallback.Adapter<Event> {
        @Override
        public void onNext(Event event) {
            EventActor actor = event.getActor();
            Map<String, String> attributes = actor == null ? null : actor.getAttributes();
            if (actor == null || attributes == null) {
                return;
            }
            int exitCode = Integer.parseInt(attributes.getOrDefault("exitCode", "0"));
            Long nanos = event.getTimeNano();
            listener.exited(
                    new JobId(Long.parseLong(attributes.getOrDefault(ContainerNames.JOB_LABEL, ""))),
                    Integer.parseInt(attributes.getOrDefault(ContainerNames.ATTEMPT_LABEL, "")),
                    exitCode,
                    exitCode == KILLED && outOfMemory(String.valueOf(actor.getId())),
                    nanos == null ? Instant.EPOCH : Instant.ofEpochSecond(0, nanos));
        }

        private boolean outOfMemory(String container) {
            try {
                return inspect.apply(container).orElse(null) instanceof Condition.Exited(int _, boolean oom, Instant _)
                        && oom;
            } catch (EngineException e) {
                return false;
            }
        }

        @Override
        public void onError(Throwable failure) {
            super.onError(failure);
            resubscribe(FIRST_RETRY);
        }

        @Override
        public void onComplete() {
            super.onComplete();
            resubscribe(FIRST_RETRY);
        }
    }
}
