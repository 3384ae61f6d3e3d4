package dev.berth.server.runner.docker.engine;

import dev.berth.core.machine.Durations;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineOutage;
import dev.berth.server.time.TimedWait;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the engine answers at all. Nobody asks as long as nothing is suspicious: a call that failed, or takes long,
 * or a stream that broke has one ping sent, and only where that fails there are more, until one succeeds. Safe for any
 * thread.
 */
final class EngineWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineWatch.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LAST_PAUSE = Duration.ofMillis(800);

    /** Asks the engine whether it is there. */
    @FunctionalInterface
    interface Ping {
        /**
         * Returns once it has answered.
         *
         * @throws EngineException where it did not, in a short time
         */
        void send();
    }

    private final Ping ping;
    private final InstantSource steady;
    private final Tasks tasks;
    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicInteger departures = new AtomicInteger();
    private final AtomicInteger returns = new AtomicInteger();
    private final List<Runnable> whenBack = new CopyOnWriteArrayList<>();
    private volatile @Nullable EngineOutage outage;
    private volatile boolean closed;

    EngineWatch(Ping ping, InstantSource steady, Tasks tasks) {
        this.ping = ping;
        this.steady = steady;
        this.tasks = tasks;
    }

    /** The outage, as far as is known; empty while it answers. */
    Optional<EngineOutage> outage() {
        return Optional.ofNullable(outage);
    }

    /** The number of times that it went away so far. */
    int departures() {
        return departures.get();
    }

    /** The number of times that it came back so far: what was asked before the latest time may never be answered. */
    int returns() {
        return returns.get();
    }

    /** Has this done each time the engine is back. */
    void whenBack(Runnable work) {
        whenBack.add(work);
    }

    /** Finds out, on a thread of its own, whether the engine is there: something was odd since then. */
    void suspect(Instant since) {
        if (!closed && asking.compareAndSet(false, true)) {
            tasks.run(() -> {
                findOut(since);
                asking.set(false);
            });
        }
    }

    /** Finds out at once, on the caller's thread. */
    boolean answers() {
        try {
            ping.send();
            return true;
        } catch (EngineException e) {
            return false;
        }
    }

    private void findOut(Instant since) {
        // Where this is done again after a failure in its middle, it is away already.
        if (outage == null) {
            Optional<String> complaint = complaint();
            if (complaint.isEmpty() || closed) {
                return;
            }
            departures.incrementAndGet();
            outage = new EngineOutage(since, complaint.get());
            LOG.warn("engine unreachable: {}; jobs that run go on, and all else waits for it", complaint.get());
        }
        awaitReturn();
    }

    private void awaitReturn() {
        Instant began = steady.instant();
        Duration wait = FIRST_PAUSE;
        do {
            TimedWait.whole(wait);
            Duration longer = wait.multipliedBy(2);
            wait = longer.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : longer;
        } while (!closed && complaint().isPresent());
        if (!closed) {
            outage = null;
            returns.incrementAndGet();
            LOG.info(
                    "the engine answers again, after {}", Durations.inWords(Duration.between(began, steady.instant())));
            whenBack.forEach(tasks::run);
        }
    }

    /** The complaint about it; empty where it answered. */
    private Optional<String> complaint() {
        try {
            ping.send();
            return Optional.empty();
        } catch (EngineException e) {
            return Optional.of(e.sentence());
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
