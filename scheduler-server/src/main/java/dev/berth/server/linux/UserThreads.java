package dev.berth.server.linux;

import dev.berth.core.job.Submitter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Threads that have a user's rights to files: what they open and look at, that user could, and what they make is that
 * user's. They have no capability, so that neither root's power over files nor that over processes is left to a path that
 * the user chose. A thread that such a thread starts has its rights as well, for good, and anyone who wakes a virtual
 * thread may start a carrier for it (ForkJoinPool): so it hands all it has to a platform thread of the server's, and to no
 * other. Safe for any thread.
 */
public final class UserThreads {
    private final boolean ofOthers;

    private UserThreads(boolean ofOthers) {
        this.ofOthers = ofOthers;
    }

    /** What is done with the rights of a user. It must neither log nor wake other threads. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException;
    }

    /** What is written with the rights of a user. It must neither log nor wake other threads. */
    @FunctionalInterface
    public interface Writing {
        void to(OutputStream out) throws IOException;
    }

    /** For a server of root's, which serves others. */
    public static UserThreads ofRoot() {
        return new UserThreads(true);
    }

    /** For a server that serves its own user alone, and has no other's rights to give up. */
    public static UserThreads own() {
        return new UserThreads(false);
    }

    /** Whether they have others' rights than the server's own. */
    public boolean areOthers() {
        return ofOthers;
    }

    /**
     * Begins work on a thread of its own, which ends with it: rights that were given up are never had again, so no such
     * thread can serve anybody else. The future fails with what the work throws, and with {@link RightsException} where
     * the kernel does not let the server act as that user.
     */
    public <T> CompletableFuture<T> begin(Submitter who, Work<T> work) {
        return supervised(() -> {
            Outcome<T> outcome = new Outcome<>();
            start(who, outcome, work, () -> {}).join();
            return outcome;
        });
    }

    /** Does it and waits for its end. */
    public <T> T call(Submitter who, Work<T> work) throws IOException {
        return await(begin(who, work));
    }

    /** Has something written, piece by piece, to a stream that is the server's own, and waits for its end. */
    public void write(Submitter who, OutputStream out, Writing work) throws IOException {
        Boolean _ = await(supervised(() -> {
            Pieces pieces = new Pieces();
            Outcome<Boolean> outcome = new Outcome<>();
            Thread user = start(
                    who,
                    outcome,
                    () -> {
                        work.to(pieces.stream());
                        return true;
                    },
                    pieces::end);
            Optional<Exception> broken = pieces.sendTo(out);
            user.join();
            return broken.isPresent() ? new Outcome<>(broken.get()) : outcome;
        }));
    }

    private interface Supervision<T> {
        Outcome<T> outcome() throws InterruptedException;
    }

    /** On a thread with the server's rights, which alone wakes anyone who waits for the future. */
    private static <T> CompletableFuture<T> supervised(Supervision<T> supervision) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread _ = Thread.ofPlatform().daemon().name("user-files").start(() -> {
            try {
                supervision.outcome().tell(answer);
            } catch (InterruptedException | RuntimeException | Error e) {
                boolean _ = answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private <T> Thread start(Submitter who, Outcome<T> outcome, Work<T> work, Runnable end) {
        return Thread.ofPlatform().daemon().name("user-" + who.uid()).start(() -> {
            outcome.of(() -> {
                if (ofOthers && !ThreadRights.become(who)) {
                    throw new RightsException(who);
                }
                return work.run();
            });
            end.run();
        });
    }

    private static <T> T await(Future<T> answer) throws IOException {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException("work with a user's rights ended", e.getCause());
        }
    }

    /** What came of work; written by the one thread, and read by the other after the first has ended. */
    private static final class Outcome<T> {
        private @Nullable T value;
        private @Nullable Throwable failure;

        Outcome() {}

        Outcome(Throwable failure) {
            this.failure = failure;
        }

        void of(Work<T> work) {
            try {
                value = work.run();
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            }
        }

        @SuppressWarnings("NullAway") // a work's own value is what it is
        void tell(CompletableFuture<T> answer) {
            boolean _ = failure == null ? answer.complete(value) : answer.completeExceptionally(failure);
        }
    }
}
