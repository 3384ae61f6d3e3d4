package dev.berth.server.linux;

import dev.berth.core.job.Submitter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * Threads that have a user's rights to files: what they open and look at, that user could, and what they make is that
 * user's. They have no capability, so that neither root's power over files nor that over processes is left to a path
 * that the user chose. A thread that such a thread starts has its rights as well, for good, and a thread that wakes a
 * virtual thread may start a carrier for it (ForkJoinPool): so it hands all it has to a platform thread of the
 * server's, and to no other. Safe for any thread.
 */
public final class UserThreads {
    private final boolean ofOthers;

    private UserThreads(boolean ofOthers) {
        this.ofOthers = ofOthers;
    }

    /** Work that is done with the rights of a user. It must neither log nor wake other threads. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException;
    }

    /** Writing that is done with the rights of a user. It must neither log nor wake other threads. */
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
            FutureTask<T> task = task(who, work);
            start(who, task, () -> {}).join();
            return task;
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
            FutureTask<Boolean> task = task(who, () -> {
                work.to(pieces.stream());
                return true;
            });
            Thread user = start(who, task, pieces::end);
            Optional<Exception> broken = pieces.sendTo(out);
            user.join();
            return broken.isPresent() ? CompletableFuture.failedFuture(broken.get()) : task;
        }));
    }

    /** On a thread with the server's rights, which alone wakes the threads that wait for the future. */
    private static <T> CompletableFuture<T> supervised(Callable<Future<T>> supervision) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        FutureTask<Future<T>> task = new FutureTask<>(supervision);
        Thread _ = Thread.ofPlatform().daemon().name("user-files").start(() -> {
            task.run();
            try {
                boolean _ = answer.complete(task.get().get());
            } catch (ExecutionException e) {
                boolean _ = answer.completeExceptionally(e.getCause());
            } catch (InterruptedException e) {
                boolean _ = answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /**
     * The task of a thread that has taken a user's rights; it wakes nobody, as nobody waits for it but for its thread's
     * end.
     */
    private <T> FutureTask<T> task(Submitter who, Work<T> work) {
        return new FutureTask<>(() -> {
            if (ofOthers && !ThreadRights.become(who)) {
                throw new RightsException(who);
            }
            return work.run();
        });
    }

    private static Thread start(Submitter who, FutureTask<?> task, Runnable end) {
        return Thread.ofPlatform().daemon().name("user-" + who.uid()).start(() -> {
            task.run();
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
}
