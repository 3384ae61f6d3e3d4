package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventActor;
import dev.berth.core.job.EngineRun;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.time.TimedWait;
import dev.berth.server.upkeep.Attempts;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Pauses;
import dev.berth.server.upkeep.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's {@code start}, {@code kill} and {@code die} events: an end is told 13 to 60 ms before {@code wait}
 * returns, with exit code and labels. Where the stream breaks, or the engine was away, it is opened again, and the
 * listener told to look for itself.
 */
final class DockerEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DockerEvents.class);

    private static final String NAME = "events of containers";
    private static final String START = "start";
    private static final String KILL = "kill";
    private static final String DIE = "die";
    private static final String SIGKILL = "9";

    private static final Duration CONNECT_DEADLINE = Duration.ofSeconds(30);
    private static final Duration FIRST_RETRY = Duration.ofMillis(100);
    private static final Duration LAST_RETRY = Duration.ofSeconds(1);

    private final Tasks tasks;
    private final Attempts attempts;
    private final Outages outages;
    private final DockerConnection connection;
    private final DockerContainerEngine engine;
    private final ContainerNames names;
    private final ContainerListener listener;

    private volatile boolean closed;
    private volatile Subscription current;

    /** How often the engine had gone away before the last stream that was heard, and the engine it was of; the follower's. */
    private int before;

    private Outages.Heard last;
    private boolean isHeard;

    DockerEvents(
            DockerConnection connection,
            ContainerNames names,
            DockerContainerEngine engine,
            ContainerListener listener,
            BackgroundWork background) {
        this.tasks = background.tasks(NAME);
        this.attempts = background.attempts(NAME, new Pauses(FIRST_RETRY, LAST_RETRY));
        this.connection = connection;
        this.names = names;
        this.engine = engine;
        this.listener = listener;
        this.outages = new Outages(connection, names, engine, listener);
        this.current = subscribe();
        this.before = connection.watch().departures();
        this.last = current.heard;
        connection.watch().whenBack(this::renew);
        tasks.run(this::follow);
    }

    private Subscription subscribe() {
        int departures = connection.watch().departures();
        // Before, so that another run that comes in between is taken for another one.
        EngineRun daemon = engine.daemon();
        Subscription opened = connection.within(CONNECT_DEADLINE, "tell of its events", () -> {
            Subscription subscription = connection
                    .client()
                    .eventsCmd()
                    .withEventFilter(START, KILL, DIE)
                    .withLabelFilter(Map.of(ContainerNames.SERVER_LABEL, names.server()))
                    .exec(new Subscription(departures, daemon));
            subscription.started.get();
            return subscription;
        });
        opened.heard = new Outages.Heard(daemon, engine.isToKeepContainers());
        return opened;
    }

    /** A stream from before an outage may be one that nobody writes into any more. */
    private void renew() {
        if (current.departures != connection.watch().departures()) {
            current.end();
        }
    }

    /** Follows one stream at a time, from one thread: whatever breaks it, there is one next try, later and later. */
    private void follow() {
        Duration wait = FIRST_RETRY;
        while (!closed) {
            Outages.Break broken = current.ended.join();
            if (!closed && wait.equals(FIRST_RETRY)) {
                outages.begin(broken);
                connection.watch().suspect(connection.clock().instant());
            }
            TimedWait.whole(wait);
            if (!closed && attempts.succeeds(this::hear) && isHeard) {
                wait = FIRST_RETRY;
            } else {
                current.end();
                Duration longer = wait.multipliedBy(2);
                wait = longer.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : longer;
            }
        }
        current.end();
    }

    private void hear() {
        isHeard = false;
        try {
            current = subscribe();
            if (!closed) {
                boolean isAnother = !last.daemon().equals(current.heard.daemon());
                if (isAnother || before != connection.watch().departures()) {
                    outages.tellOfStops(last, current.heard);
                }
                before = connection.watch().departures();
                last = current.heard;
                listener.resumed();
            }
            isHeard = true;
        } catch (EngineException e) {
            if (e.kind() != EngineException.Kind.UNREACHABLE) {
                throw e;
            }
            // Anyone who finds out that the engine is away says so once for everybody.
            LOG.debug("the engine's events are not heard, trying again: {}", e.sentence());
        }
    }

    boolean mayHaveBroken(Instant ended) {
        return outages.hasBrokenAbout(ended);
    }

    /** The log of a container has ended, or broken off: if its program goes on, the log is opened again. */
    void logEnded(String name, DockerLog log) {
        tasks.runAfter(outages.pause(name), () -> outages.lookAt(name, () -> closed || log.isClosed()));
    }

    @Override
    public void close() {
        closed = true;
        current.end();
    }

    /** What a program ended with; empty where the engine does not say. */
    static OptionalInt exitCode(Map<String, String> attributes) {
        String told = attributes.getOrDefault("exitCode", "");
        return told.matches("\\d{1,3}") ? OptionalInt.of(Integer.parseInt(told)) : OptionalInt.empty();
    }

    private static Condition.Exited unknownEnd(Instant at) {
        return new Condition.Exited(EngineStopped.UNKNOWN_EXIT, false, null, at).byEngine();
    }

    private final class Subscription extends ResultCallback.Adapter<Event> {
        private final CompletableFuture<Void> started = new CompletableFuture<>();
        private final CompletableFuture<Outages.Break> ended = new CompletableFuture<>();

        /** The number of times that the engine had gone away when this was opened. */
        private final int departures;

        /** The engine that it is of; whether that keeps containers is known once it is open. */
        private volatile Outages.Heard heard;

        private final SignalEnds signalEnds;

        Subscription(int departures, EngineRun daemon) {
            this.departures = departures;
            this.heard = new Outages.Heard(daemon, false);
            EngineEnd end = new EngineEnd(
                    daemon,
                    ended::isDone,
                    connection::answersAnew,
                    engine::daemon,
                    () -> closed,
                    TimedWait::whole,
                    connection.clocks().steady());
            this.signalEnds = new SignalEnds(
                    new SignalEnds.Known(
                            end::isStopping,
                            () -> closed,
                            engine::isBeingRemoved,
                            engine::mayBeOutOfMemory,
                            this::outOfMemory),
                    listener,
                    TimedWait::whole);
        }

        void end() {
            try {
                close();
            } catch (IOException e) {
                LOG.debug("an event stream did not close", e);
            }
            finish();
        }

        /** Only the first end counts. */
        private void finish() {
            ended.complete(Outages.Break.now(connection.clocks()));
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
            Optional<Attempt> owner = names.owner(attributes.getOrDefault("name", ""), attributes);
            if (owner.isEmpty()) {
                return;
            }
            Long nanos = event.getTimeNano();
            Instant at = nanos == null ? connection.clock().instant() : Instant.ofEpochSecond(0, nanos);
            switch (String.valueOf(event.getAction())) {
                case START -> listener.started(owner.get(), at);
                case KILL -> {
                    if (SIGKILL.equals(attributes.get("signal"))) {
                        signalEnds.killed(String.valueOf(actor.getId()));
                    }
                }
                case DIE -> {
                    String container = String.valueOf(actor.getId());
                    exitCode(attributes)
                            .ifPresentOrElse(
                                    exitCode -> died(owner.get(), exitCode, container, at),
                                    () -> listener.exited(
                                            owner.get(), exit(container).orElse(unknownEnd(at))));
                }
                default -> LOG.debug("not asked for: {}", event);
            }
        }

        private void died(Attempt attempt, int exitCode, String container, Instant at) {
            if (exitCode == Condition.Exited.SIGKILLED && outOfMemory(container)) {
                listener.exited(attempt, new Condition.Exited(exitCode, true, null, at));
            } else if (exitCode == EngineStopped.UNKNOWN_EXIT && isUnseen(container)) {
                listener.exited(attempt, new Condition.Exited(exitCode, false, null, at).byEngine());
            } else if (Condition.Exited.isBySignal(exitCode)) {
                tasks.run(() -> signalEnds.tell(attempt, exitCode, container, at));
            } else {
                listener.exited(attempt, new Condition.Exited(exitCode, false, null, at));
            }
        }

        private boolean outOfMemory(String container) {
            return exit(container).filter(Condition.Exited::outOfMemory).isPresent();
        }

        private boolean isUnseen(String container) {
            return exit(container).filter(Condition.Exited::isUnknown).isPresent();
        }

        private Optional<Condition.Exited> exit(String container) {
            try {
                return engine.inspect(container)
                        .filter(Condition.Exited.class::isInstance)
                        .map(Condition.Exited.class::cast);
            } catch (EngineException e) {
                return Optional.empty();
            }
        }

        @Override
        public void onError(Throwable failure) {
            super.onError(failure);
            started.completeExceptionally(failure);
            finish();
        }

        @Override
        public void onComplete() {
            super.onComplete();
            started.complete(null);
            finish();
        }
    }
}
