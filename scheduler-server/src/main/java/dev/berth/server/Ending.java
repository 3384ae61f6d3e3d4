package dev.berth.server;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The end of the process by a signal, at any moment: while the server starts, while it runs, while it ends already. A
 * start that is under way is interrupted, and gives back what it holds. Made on the thread that starts the server.
 */
final class Ending {
    /** The time that a start may take to come to its next step; what takes longer is left as it is. */
    private static final Duration START_PATIENCE = Duration.ofMillis(1_500);

    /** The time that the orderly end may take; both together stay below five seconds. */
    private static final Duration STOP_PATIENCE = Duration.ofMillis(3_200);

    private static final String LEFT =
            "; it ends as it is: what was acknowledged is on disk, jobs that run go on, and the next start takes them over";

    private final Thread starter = Thread.currentThread();
    private final CompletableFuture<Optional<BerthServer>> start = new CompletableFuture<>();
    private final Consumer<String> words;
    private volatile boolean asked;

    /** Says to {@code words} where it could not wait for an orderly end. */
    Ending(Consumer<String> words) {
        this.words = words;
    }

    /**
     * The server runs.
     *
     * @throws StartException where it is to end at once
     */
    void started(BerthServer server) {
        start.complete(Optional.of(server));
        goOn();
    }

    /**
     * The start comes to its next step.
     *
     * @throws StartException where there is to be none
     */
    void goOn() {
        if (asked) {
            throw StartException.failed("the start is not to go on");
        }
    }

    /** Notes that there is no server to end, and there will be none. */
    void notStarted() {
        start.complete(Optional.empty());
    }

    /** Whether the end was asked for. */
    boolean isAsked() {
        return asked;
    }

    /** Ends what there is; returns when that is done, or has taken too long. Called once, on any thread. */
    void run() {
        asked = true;
        if (!start.isDone()) {
            starter.interrupt();
        }
        try {
            Optional<BerthServer> server = start.get(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (server.isPresent() && !isStopped(server.get())) {
                words.accept("the server did not end in order within " + STOP_PATIENCE.toMillis() + " ms" + LEFT);
            }
        } catch (TimeoutException e) {
            words.accept("the server was told to end while it started, and the start did not come to its next step"
                    + " within " + START_PATIENCE.toMillis() + " ms" + LEFT);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a start that failed is told as none", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isStopped(BerthServer server) throws InterruptedException {
        return Thread.ofPlatform().daemon().name("stop").start(server::stop).join(STOP_PATIENCE);
    }
}
