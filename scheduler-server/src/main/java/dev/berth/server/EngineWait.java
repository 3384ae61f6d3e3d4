package dev.berth.server;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.docker.ContainerEngine;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wait of a server's start for a container engine that does not answer yet, as while the machine starts. It asks
 * again and again until one answers, or the thread is interrupted.
 *
 * @param reasons hears what is waited for, and again where that has changed
 * @param alive hears each time that it waits still
 */
record EngineWait(Pause pause, Consumer<String> reasons, Runnable alive) {
    private static final Logger LOG = LoggerFactory.getLogger(EngineWait.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
    private static final String OPTION = "--wait-for-engine";

    /** A wait for nothing but time. */
    interface Pause {
        void of(Duration time) throws InterruptedException;
    }

    /** The engine, where it answers at once. */
    static ContainerEngine atOnce(Supplier<ContainerEngine> engine) {
        try {
            return engine.get();
        } catch (EngineException e) {
            throw isAway(e)
                    ? new EngineException(e.kind(), e.sentence() + "; " + OPTION + " waits until it answers", e)
                    : e;
        }
    }

    /**
     * The engine, as soon as it answers.
     *
     * @throws StartException where the start is interrupted
     * @throws EngineException where waiting is of no use
     */
    ContainerEngine first(Supplier<ContainerEngine> engine) {
        String reason = "";
        while (true) {
            try {
                ContainerEngine answering = engine.get();
                if (!reason.isEmpty()) {
                    LOG.info("the container engine answers; the start goes on");
                }
                return answering;
            } catch (EngineException e) {
                if (!isAway(e)) {
                    throw e;
                }
                if (!e.sentence().equals(reason)) {
                    reason = e.sentence();
                    LOG.warn("the start waits for the container engine: {}", reason);
                    reasons.accept(reason + "; the start waits for it (" + OPTION + ")");
                }
            }
            alive.run();
            pauseOnce();
        }
    }

    /** Whether an engine does not answer, or not as one does that has come up. */
    private static boolean isAway(EngineException failure) {
        return switch (failure.kind()) {
            case UNREACHABLE, FAILING -> true;
            case LATE, NOT_FOUND, REFUSED, UNABLE, BEGUN, INTERRUPTED -> false;
        };
    }

    private void pauseOnce() {
        try {
            pause.of(LOOK_AGAIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StartException.failed("the start was interrupted");
        }
    }
}
