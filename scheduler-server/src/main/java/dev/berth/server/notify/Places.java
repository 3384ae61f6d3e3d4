package dev.berth.server.notify;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;

/**
 * Places for attempts at the same time. A user has some of them, and half of those for receivers that failed the last time: so
 * those that hang keep neither the user's own others waiting, nor anybody else's. Safe for any thread.
 */
final class Places {
    private final int ofUser;
    private final Semaphore all;
    private final ConcurrentMap<Long, OfUser> users = new ConcurrentHashMap<>();

    /**
     * So many free places.
     *
     * @param ofUser how many of them one user may have
     */
    Places(int inAll, int ofUser) {
        this.all = new Semaphore(inAll, true);
        this.ofUser = ofUser;
    }

    private record OfUser(Semaphore any, Semaphore failing) {}

    /** A place that was taken; closing it gives it back. */
    @FunctionalInterface
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /** Waits for a place. */
    Place take(long uid, boolean hasFailed) throws InterruptedException {
        OfUser user = users.computeIfAbsent(
                uid, _ -> new OfUser(new Semaphore(ofUser, true), new Semaphore(ofUser / 2, true)));
        if (hasFailed) {
            user.failing.acquire();
        }
        user.any.acquire();
        all.acquire();
        return () -> {
            all.release();
            user.any.release();
            if (hasFailed) {
                user.failing.release();
            }
        };
    }
}
