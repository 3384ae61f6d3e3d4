package dev.berth.server.container;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries work to its end: work that finds the engine unreachable, or fails in a way nobody foresaw, is done again from
 * its beginning, later and later. All such work can be repeated, and none of it may be given up: a GPU whose container
 * could not be stopped is not free.
 */
final class EngineRetry {
    private static final Logger LOG = LoggerFactory.getLogger(EngineRetry.class);
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);
    private static final Duration MAX_WAIT_UNREACHABLE = Duration.ofSeconds(1);
    private static final Duration MAX_WAIT_FAILED = Duration.ofSeconds(30);

    private final Tasks tasks;

    EngineRetry(Tasks tasks) {
        this.tasks = tasks;
    }

    /**
     * Does the work, on a thread of {@link Tasks}.
     *
     * @param work returns whether it is done; false does it again later
     * @return complete once the work is done
     */
    CompletableFuture<Void> run(BooleanSupplier work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        tasks.run(() -> attempt(work, FIRST_WAIT, done));
        return done;
    }

    /** The same after a while. */
    void runAfter(Duration delay, BooleanSupplier work) {
        tasks.runAfter(delay, () -> attempt(work, FIRST_WAIT, new CompletableFuture<>()));
    }

    private void attempt(BooleanSupplier work, Duration wait, CompletableFuture<Void> done) {
        Duration longest = MAX_WAIT_UNREACHABLE;
        try {
            if (work.getAsBoolean()) {
                done.complete(null);
                return;
            }
        } catch (EngineException e) {
            longest = e.kind() == EngineException.Kind.UNREACHABLE ? MAX_WAIT_UNREACHABLE : MAX_WAIT_FAILED;
            LOG.warn("{}; trying again in {} ms", e.sentence(), wait.toMillis());
        } catch (RuntimeException e) {
            longest = MAX_WAIT_FAILED;
            LOG.error("an effect failed; trying again in {} ms", wait.toMillis(), e);
        }
        Duration longer = wait.multipliedBy(2);
        Duration next = longer.compareTo(longest) > 0 ? longest : longer;
        tasks.runAfter(wait, () -> attempt(work, next, done));
    }
}
