package dev.berth.server.runner.docker.engine;

import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found.Condition.Exited;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Ends by a signal that nobody here sent: from an engine that stops and ends its containers first, from the one who
 * removes the container, from another process, or from the kernel. The GPUs wait until it is clear whose doing it was,
 * and all of that is known at once, but for whose memory ran out where the kernel has killed a process for it:
 * containerd may tell of that after the exit (github.com/containerd/containerd/issues/12260). Safe for any thread.
 *
 * @param killed the containers that the engine was asked to kill
 */
record SignalEnds(Known known, ContainerListener listener, Consumer<Duration> pause, Set<String> killed) {
    /** The time after the news of an end in which that of the memory that ran out may come: two seconds, in steps. */
    private static final int LOOKS = 10;

    private static final Duration STEP = Duration.ofMillis(200);

    /** The number of kills kept; the end of a container whose kill was forgotten is waited for. */
    private static final int MAX_KILLED = 1_024;

    /**
     * The engine's answers about itself and a container, asked when a program has ended.
     *
     * @param isStopping whether it ends its containers
     * @param isClosed whether nobody listens to it any more
     * @param mayBeOutOfMemory whether the kernel may have ended it for its memory
     * @param outOfMemory whether it is known that it has
     */
    record Known(
            BooleanSupplier isStopping,
            BooleanSupplier isClosed,
            Predicate<String> isBeingRemoved,
            Predicate<String> mayBeOutOfMemory,
            Predicate<String> outOfMemory) {}

    SignalEnds(Known known, ContainerListener listener, Consumer<Duration> pause) {
        this(known, listener, pause, ConcurrentHashMap.newKeySet());
    }

    /** Notes that the engine was asked to kill it, which is told before its end. */
    void killed(String container) {
        if (killed.size() >= MAX_KILLED) {
            killed.clear();
        }
        killed.add(container);
    }

    void tell(Attempt attempt, int exitCode, String container, Instant at) {
        boolean wasKilled = killed.remove(container);
        boolean isStopping = known.isStopping().getAsBoolean();
        if (known.isClosed().getAsBoolean()) {
            // The next server sees it.
            return;
        }
        if (isStopping) {
            listener.exited(attempt, new Exited(exitCode, false, null, at).byEngine());
        } else if (known.isBeingRemoved().test(container)) {
            listener.removed(attempt);
        } else {
            boolean outOfMemory = exitCode == Exited.SIGKILLED && isOutOfMemory(container, wasKilled);
            listener.exited(attempt, new Exited(exitCode, outOfMemory, null, at));
        }
    }

    /** Whether its memory ran out, or the machine's, where its own has no bound. */
    private boolean isOutOfMemory(String container, boolean wasKilled) {
        boolean isKnown = known.outOfMemory().test(container);
        if (!isKnown && !wasKilled && known.mayBeOutOfMemory().test(container)) {
            for (int look = 0; look < LOOKS && !isKnown && !known.isClosed().getAsBoolean(); look++) {
                pause.accept(STEP);
                isKnown = known.outOfMemory().test(container);
            }
        }
        return isKnown;
    }
}
