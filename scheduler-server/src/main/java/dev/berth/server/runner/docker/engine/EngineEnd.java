package dev.berth.server.runner.docker.engine;

import dev.berth.core.job.EngineRun;
import dev.berth.server.runner.EngineException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the engine stops, and ends what runs, asked when a program has ended by a signal. No answer is none: one that is
 * frozen, or slow, is asked until it answers or is seen to be gone; where it does neither for long, it goes on.
 *
 * @param heard the run that told of the end
 * @param broken whether it is heard no more
 * @param answers whether it answers on a new connection; throws an {@link EngineException} where nobody takes one
 * @param now the run that answers now; throws the same
 * @param closed whether nobody wants to know any more
 */
record EngineEnd(
        EngineRun heard,
        BooleanSupplier broken,
        BooleanSupplier answers,
        Supplier<EngineRun> now,
        BooleanSupplier closed,
        Consumer<Duration> pause,
        InstantSource steady) {
    private static final Logger LOG = LoggerFactory.getLogger(EngineEnd.class);
    private static final Duration BETWEEN = Duration.ofMillis(200);

    /** An engine that stops is gone by then (dockerd, {@code --shutdown-timeout}: 15 s as a rule). */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    boolean isStopping() {
        Instant limit = steady.instant().plus(LONGEST);
        try {
            boolean isTold = false;
            while (!answers.getAsBoolean()
                    && !isGone()
                    && !closed.getAsBoolean()
                    && steady.instant().isBefore(limit)) {
                if (!isTold) {
                    LOG.warn(
                            "the engine does not answer on a new connection; whether it stops, and has ended a program,"
                                    + " is asked for up to {} s",
                            LONGEST.toSeconds());
                    isTold = true;
                }
                pause.accept(BETWEEN);
            }
            return isGone();
        } catch (EngineException e) {
            return true;
        }
    }

    /** Whether it is gone: as long as it is heard it is there; its events may also break off for another reason. */
    private boolean isGone() {
        return broken.getAsBoolean() && !heard.isSameAs(now.get());
    }
}
