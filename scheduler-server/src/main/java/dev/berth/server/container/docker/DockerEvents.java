package dev.berth.server.container.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventActor;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Found.Condition;
import dev.berth.server.container.ContainerEngine.ContainerListener;
import dev.berth.server.container.ContainerNames;
import dev.berth.server.container.EngineException;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's {@code start} and {@code die} events: they come 13 to 60 ms before {@code wait} returns, and carry exit
 * code and labels.
 * Where the stream breaks it is opened again, and the listener told to look for itself.
 */
final class DockerEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DockerEvents.class);

    /** The exit code of a program killed by the kernel, as all others that got SIGKILL. */
    private static final int KILLED = 137;

    private static final String START = "start";
    private static final String DIE = "die";

    private static final Duration CONNECT_DEADLINE = Duration.ofSeconds(30);
    private static final Duration SECOND_LOOK = Duration.ofMillis(200);
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1);

    private final DockerConnection connection;
    private final ContainerNames names;
    private final Function<String, Optional<Condition>> inspect;
    private final ContainerListener listener;

    private volatile boolean closed;
    private volatile Subscription current;

    DockerEvents(
            DockerConnection connection,
            ContainerNames names,
            Function<String, Optional<Condition>> inspect,
            ContainerListener listener) {
        this.connection = connection;
        this.names = names;
        this.inspect = inspect;
        this.listener = listener;
        this.current = subscribe();
        Thread.startVirtualThread(this::follow);
    }

    private Subscription subscribe() {
        return connection.within(CONNECT_DEADLINE, "tell of its events", () -> {
            Subscription subscription = connection
                    .client()
                    .eventsCmd()
                    .withEventFilter(START, DIE)
                    .withLabelFilter(Map.of(ContainerNames.SERVER_LABEL, names.server()))
                    .exec(new Subscription());
            subscription.started.get();
            return subscription;
        });
    }

    /** One stream at a time, from one thread: whatever breaks it, there is one next try, later and later. */
    private void follow() {
        Duration wait = FIRST_RETRY;
        while (!closed) {
            current.ended.join();
            pause(wait);
            try {
                current = closed ? current : subscribe();
                if (!closed) {
                    listener.resumed();
                }
                wait = FIRST_RETRY;
            } catch (RuntimeException e) {
                LOG.warn("the engine's events are not heard, trying again: {}", e.getMessage());
                current.end();
                Duration longer = wait.multipliedBy(2);
                wait = longer.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : longer;
            }
        }
        current.end();
    }

    private static void pause(Duration wait) {
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(wait.toMillis(), TimeUnit.MILLISECONDS))
                .join();
    }

    @Override
    public void close() {
        closed = true;
        current.end();
    }

    private final class Subscription extends ResultCallback.Adapter<Event> {
        private final CompletableFuture<Void> started = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        void end() {
            try {
                close();
            } catch (IOException e) {
                LOG.debug("an event stream did not close", e);
            }
            ended.complete(null);
        }

        @Override
        public void onStart(Closeable stream) {
            super.onStart(stream);
            started.complete(null);
        }

        @Override
        public void onNext(Event event) {
            EventActor actor = event.getActor();
            Map<String, String> attributes = actor == null ? null : actor.getAttributes();
            if (actor == null || attributes == null) {
                return;
            }
            Optional<Owner> owner = Owner.of(names, attributes.getOrDefault("name", ""), attributes);
            if (owner.isEmpty()) {
                return;
            }
            Long nanos = event.getTimeNano();
            Instant at = nanos == null ? Instant.EPOCH : Instant.ofEpochSecond(0, nanos);
            JobId job = owner.get().job();
            int attempt = owner.get().attempt();
            switch (String.valueOf(event.getAction())) {
                case START -> listener.started(job, attempt, at);
                case DIE -> {
                    int exitCode = Integer.parseInt(attributes.getOrDefault("exitCode", "0"));
                    if (exitCode == KILLED) {
                        tellWhy(owner.get(), String.valueOf(actor.getId()), at);
                    } else {
                        listener.exited(job, attempt, exitCode, false, at);
                    }
                }
                default -> LOG.debug("not asked for: {}", event);
            }
        }

        /** The kernel's word that memory ran out may reach the engine after that of the exit: one second look. */
        private void tellWhy(Owner owner, String container, Instant at) {
            if (outOfMemory(container)) {
                listener.exited(owner.job(), owner.attempt(), KILLED, true, at);
            } else {
                Thread.startVirtualThread(() -> {
                    pause(SECOND_LOOK);
                    listener.exited(owner.job(), owner.attempt(), KILLED, outOfMemory(container), at);
                });
            }
        }

        private boolean outOfMemory(String container) {
            try {
                return inspect.apply(container).orElse(null) instanceof Condition.Exited exited && exited.outOfMemory();
            } catch (EngineException e) {
                return false;
            }
        }

        @Override
        public void onError(Throwable failure) {
            super.onError(failure);
            started.completeExceptionally(failure);
            ended.complete(null);
        }

        @Override
        public void onComplete() {
            super.onComplete();
            started.complete(null);
            ended.complete(null);
        }
    }
}
