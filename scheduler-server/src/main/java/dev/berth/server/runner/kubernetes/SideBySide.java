package dev.berth.server.runner.kubernetes;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Does a few things at a time, and waits for each batch no longer than a deadline. What is late is cut off: its gate is shut before
 * anybody goes on, so that nothing of it comes afterwards. Those behind it are left for another time, as they may be as late.
 */
record SideBySide(Duration deadline) {
    private static final int AT_ONCE = 8;

    /** A thing to do; says whether there is more to do. */
    @FunctionalInterface
    interface Part {
        boolean run(Gate gate);

        /** Hears that it was cut off. */
        default void late() {}
    }

    /**
     * Does them in their order, up to those of which one is late.
     *
     * @return whether any of them has more to do
     * @throws EngineException the first of their failures, once nothing of them goes on
     */
    boolean run(List<? extends Part> parts) {
        boolean isMore = false;
        RuntimeException failure = null;
        for (int from = 0; from < parts.size(); from += AT_ONCE) {
            Batch batch = new Batch(parts.subList(from, Math.min(from + AT_ONCE, parts.size())), deadline);
            isMore |= batch.run();
            failure = failure == null ? batch.failure : failure;
            if (batch.isLate) {
                break;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return isMore;
    }

    /** Those that are done at the same time. */
    private static final class Batch {
        private final List<? extends Part> parts;
        private final Duration deadline;
        private @Nullable RuntimeException failure;
        private boolean isLate;

        Batch(List<? extends Part> parts, Duration deadline) {
            this.parts = parts;
            this.deadline = deadline;
        }

        boolean run() {
            List<Gate> gates = new ArrayList<>();
            List<Future<Boolean>> futures = new ArrayList<>();
            ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
            try {
                for (Part part : parts) {
                    Gate gate = new Gate();
                    gates.add(gate);
                    futures.add(threads.submit(() -> part.run(gate)));
                }
                boolean isMore = false;
                for (int i = 0; i < futures.size(); i++) {
                    isMore |= done(parts.get(i), futures.get(i), gates.get(i));
                }
                return isMore;
            } finally {
                gates.forEach(Gate::shut);
                threads.shutdownNow();
            }
        }

        private boolean done(Part part, Future<Boolean> future, Gate gate) {
            try {
                // They run at the same time: when one is late, so are the others that are not done.
                return future.get(isLate ? 0 : deadline.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                gate.shut();
                isLate = true;
                part.late();
                return failed(new EngineException(
                        Kind.LATE, "Kubernetes did not hand a log over in " + deadline.toSeconds() + " s", e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return failed(new EngineException(Kind.INTERRUPTED, "interrupted while logs were fetched", e));
            } catch (ExecutionException e) {
                return failed(e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e));
            }
        }

        private boolean failed(RuntimeException next) {
            failure = failure == null ? next : failure;
            return false;
        }
    }

    /** What lets things through until it is shut, for ever. */
    static final class Gate {
        private boolean isShut;

        /** Does something that takes moments, unless it is too late. */
        synchronized void through(Step step) throws IOException {
            if (isShut) {
                throw new CancellationException("too late");
            }
            step.run();
        }

        /** Waits for what is on its way through. */
        synchronized void shut() {
            isShut = true;
        }
    }

    /** A thing that is done at once. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }
}
