package dev.berth.server.bounds;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Turns of each user, who may have only so many things of one kind under way at once; one more waits until another is
 * done, the first to come first, and keeps no other user waiting. Safe for any thread.
 */
public final class UserTurns {
    private final Map<Long, Semaphore> users = new ConcurrentHashMap<>();
    private final int each;

    /** Of which nobody has any yet. */
    public UserTurns(int each) {
        this.each = each;
    }

    /** To be closed once, by any thread, when the thing is done. */
    @FunctionalInterface
    public interface Turn extends AutoCloseable {
        @Override
        void close();
    }

    /** Waits for as long as it takes. */
    public Turn take(long uid) throws InterruptedException {
        Semaphore own = of(uid);
        own.acquire();
        return own::release;
    }

    /** Waits for so long at most; empty where others of the same user were not done then. */
    public Optional<Turn> take(long uid, Duration patience) throws InterruptedException {
        Semaphore own = of(uid);
        return own.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS) ? Optional.of(own::release) : Optional.empty();
    }

    private Semaphore of(long uid) {
        return users.computeIfAbsent(uid, _ -> new Semaphore(each, true));
    }
}
