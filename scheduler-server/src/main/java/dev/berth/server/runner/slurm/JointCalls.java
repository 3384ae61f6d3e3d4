package dev.berth.server.runner.slurm;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

/**
 * Lets calls that are made at the same time go as one: those that come while one of the same key is under way wait, and go together
 * as the next. So a thousand jobs that are cancelled at once start some programs and not a thousand. Safe for any thread.
 *
 * @param <K> what all of a call have in common
 * @param <T> what one of them is about
 * @param <R> what is answered to all of them
 */
final class JointCalls<K, T, R> {
    private final ConcurrentMap<K, ReentrantLock> locks = new ConcurrentHashMap<>();

    /** Those that others can still join; guarded by this. */
    private final Map<K, Batch<T, R>> open = new HashMap<>();

    private final int most;
    private final BiFunction<K, List<T>, R> call;

    /**
     * Joins calls of this.
     *
     * @param most of them that go as one
     */
    JointCalls(int most, BiFunction<K, List<T>, R> call) {
        this.most = most;
        this.call = call;
    }

    /** Those of one call, which nobody joins any more once it is made, and what came of it. */
    private record Batch<T, R>(List<T> all, CompletableFuture<R> outcome) {}

    /**
     * Makes the call, with others or for them.
     *
     * @throws EngineException as the call that it was part of
     */
    R of(K key, T one) {
        Batch<T, R> batch = join(key, one);
        ReentrantLock lock = locks.computeIfAbsent(key, _ -> new ReentrantLock());
        lock.lock();
        try {
            if (!batch.outcome().isDone()) {
                make(key, batch);
            }
        } finally {
            lock.unlock();
        }
        try {
            return batch.outcome().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof EngineException failure) {
                throw new EngineException(failure.kind(), failure.sentence(), failure);
            }
            throw e;
        }
    }

    private synchronized Batch<T, R> join(K key, T one) {
        Batch<T, R> batch = open.computeIfAbsent(key, _ -> new Batch<>(new ArrayList<>(), new CompletableFuture<>()));
        batch.all().add(one);
        if (batch.all().size() == most) {
            open.remove(key);
        }
        return batch;
    }

    private synchronized void close(K key, Batch<T, R> batch) {
        open.remove(key, batch);
    }

    private void make(K key, Batch<T, R> batch) {
        close(key, batch);
        try {
            batch.outcome().complete(call.apply(key, batch.all()));
        } catch (EngineException e) {
            if (e.kind() == Kind.INTERRUPTED) {
                // The thread was, and not the call of the others: the next of them makes it.
                throw e;
            }
            batch.outcome().completeExceptionally(e);
        }
    }
}
