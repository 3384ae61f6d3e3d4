package dev.berth.server.runner.docker.engine;

import dev.berth.core.job.EngineRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import dev.berth.server.runner.docker.ContainerNames;
import dev.berth.server.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stops of the engine and losses of a connection to it, and what becomes of containers and their logs then. */
final class Outages {
    private static final Logger LOG = LoggerFactory.getLogger(Outages.class);

    /** The time that an engine that stops waits for its containers (dockerd, {@code --shutdown-timeout}). */
    private static final Duration SHUTDOWN = Duration.ofSeconds(15);

    private static final Duration FIRST_LOOK = Duration.ofMillis(500);
    private static final int MAX_DOUBLINGS = 6;

    /** The time within which the streams of one engine are seen to break. */
    private static final Duration TOGETHER = Duration.ofMillis(500);

    private static final int MAX_BREAKS = 64;

    /** The number of times that the log of one that runs has broken off so far. */
    private final ConcurrentMap<String, Integer> breaks = new ConcurrentHashMap<>();

    private final DockerConnection connection;
    private final ContainerNames names;
    private final DockerContainerEngine engine;
    private final ContainerListener listener;

    private final Break began;

    /** The last breaks of the stream of events, the newest last. */
    private volatile List<Break> lastBreaks = List.of();

    /**
     * The engine that a stream of events was of.
     *
     * @param keepsContainers whether containers were to outlive it
     */
    record Heard(EngineRun daemon, boolean keepsContainers) {}

    /** A moment, by the date as it was then and by the clock that nobody sets. */
    record Break(Instant date, Instant steady) {
        static Break now(Clocks clocks) {
            return new Break(clocks.instant(), clocks.steady().instant());
        }

        /**
         * The earlier of its date as it was and as it is now: the engine may have told of an end before or after that
         * was set.
         */
        Instant earliest(Clocks clocks) {
            Instant asItIs = clocks.instant()
                    .minus(Duration.between(steady, clocks.steady().instant()));
            return asItIs.isBefore(date) ? asItIs : date;
        }
    }

    Outages(
            DockerConnection connection,
            ContainerNames names,
            DockerContainerEngine engine,
            ContainerListener listener) {
        this.connection = connection;
        this.names = names;
        this.engine = engine;
        this.listener = listener;
        this.began = Break.now(connection.clocks());
    }

    /**
     * The stream of events has broken; until it is heard again the engine may stop, and end what runs.
     *
     * @param at when that was seen
     */
    void begin(Break at) {
        List<Break> all = new ArrayList<>(lastBreaks);
        all.add(at);
        lastBreaks = List.copyOf(all.subList(Math.max(0, all.size() - MAX_BREAKS), all.size()));
    }

    /** Whether the stream of events broke at about that date: what breaks it breaks the streams of logs as well. */
    boolean hasBrokenAbout(Instant date) {
        return isAbout(lastBreaks, date);
    }

    static boolean isAbout(List<Break> breaks, Instant date) {
        return breaks.stream()
                .anyMatch(one -> Duration.between(one.date(), date).abs().compareTo(TOGETHER) < 0);
    }

    /**
     * Tells of those that the engine ended while nobody heard it, or of whose end it does not know. One that keeps
     * containers ends none (dockerd, {@code --live-restore}), and neither did one that goes on: then a signal came
     * from elsewhere.
     *
     * @param before the engine of the stream that broke
     * @param now that of the one which was opened since
     */
    void tellOfStops(Heard before, Heard now) {
        if (before.daemon().isSameAs(now.daemon())) {
            return;
        }
        Break last = lastBreaks.isEmpty() ? began : lastBreaks.getLast();
        Instant broken = last.earliest(connection.clocks());
        List<Found> there = engine.list(names.server());
        boolean keepsContainers = keepsContainers(there, broken, before, now);
        for (Found found : there) {
            if (found.condition() instanceof Condition.Exited exited && isByEngine(exited, broken, keepsContainers)) {
                listener.exited(found.of(), exited.byEngine());
            }
        }
    }

    /**
     * Both have to say so: one that keeps none ends them as it stops, or as it begins. What was told to keep them
     * since it was heard, or has nobody to stop (Podman), shows it by one that runs on.
     */
    static boolean keepsContainers(List<Found> there, Instant broken, Heard before, Heard now) {
        return (before.keepsContainers() && now.keepsContainers())
                || there.stream()
                        .anyMatch(found -> found.condition() instanceof Condition.Alive(Instant startedAt)
                                && startedAt.isBefore(broken));
    }

    /**
     * Whether the end is the engine's doing, or is not known to it.
     *
     * @param broken when the stream of events broke
     */
    static boolean isByEngine(Condition.Exited exited, Instant broken, boolean keepsContainers) {
        if (exited.exitCode() == EngineStopped.UNKNOWN_EXIT) {
            return exited.endedAt().isAfter(broken);
        }
        return !keepsContainers && exited.isBySignal() && exited.endedAt().isAfter(broken.minus(SHUTDOWN));
    }

    /**
     * The while after which a container whose log has ended is looked at: as a rule its program has ended, and it is
     * gone.
     */
    Duration pause(String name) {
        return FIRST_LOOK.multipliedBy(1L << Math.min(MAX_DOUBLINGS, breaks.getOrDefault(name, 0)));
    }

    /** Looks at a container whose log has ended. */
    void lookAt(String name, BooleanSupplier over) {
        try {
            Found found = over.getAsBoolean() ? null : engine.find(names, name).orElse(null);
            if (found != null && found.condition() instanceof Condition.Alive) {
                int _ = breaks.merge(name, 1, Integer::sum);
                listener.unheard(found);
            } else {
                breaks.remove(name);
            }
        } catch (EngineException e) {
            // Once it answers again, all that is there is looked at.
            LOG.debug("{} cannot be looked at: {}", name, e.sentence());
        }
    }
}
