package dev.berth.server.bounds;

import java.util.HashMap;
import java.util.Map;

/**
 * The bounds on the memory of the requests that are under way, in all and of one user. What is taken is an estimate,
 * made before the memory is: a request that would pass a bound is refused, and may come again when others are done.
 * Root has a little more, to see who takes it all. Safe for any thread.
 */
public final class MemoryBudget {
    private static final int PART_OF_HEAP = 4;
    private static final int PART_OF_USER = 3;
    private static final int EXTRA_OF_ROOT = 8;
    private static final long ROOT = 0;

    private final long most;
    private final long mostOfOne;
    private final Map<Long, Long> ofUsers = new HashMap<>();
    private long taken;

    /**
     * A budget of which nothing is taken.
     *
     * @param most bytes in all, but for root's
     * @param mostOfOne bytes for the requests of one user
     */
    public MemoryBudget(long most, long mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** A quarter of the memory that there is, and of that a third for each user. */
    public static MemoryBudget ofHeap() {
        long most = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
        return new MemoryBudget(most, most / PART_OF_USER);
    }

    /** The share that one request takes; empty at first. To be closed when it is answered. */
    public Share share(long uid) {
        return new Share(uid);
    }

    private synchronized void take(long uid, long bytes) {
        long own = ofUsers.getOrDefault(uid, 0L);
        long room = uid == ROOT ? most + most / EXTRA_OF_ROOT : most;
        if (own + bytes > mostOfOne || taken + bytes > room) {
            throw new NoMemoryException(own + bytes > mostOfOne ? mostOfOne : most, own + bytes > mostOfOne);
        }
        taken += bytes;
        ofUsers.put(uid, own + bytes);
    }

    private synchronized void give(long uid, long bytes) {
        taken -= bytes;
        ofUsers.computeIfPresent(uid, (_, own) -> own == bytes ? null : Long.valueOf(own - bytes));
    }

    /** The memory that is taken in all. */
    synchronized long taken() {
        return taken;
    }

    /** The part of one request; for one thread. */
    public final class Share implements AutoCloseable {
        private final long uid;
        private long bytes;

        private Share(long uid) {
            this.uid = uid;
        }

        /**
         * Takes more.
         *
         * @throws NoMemoryException where that would be too much; what was taken before stays
         */
        public void take(long more) {
            MemoryBudget.this.take(uid, more);
            bytes += more;
        }

        @Override
        public void close() {
            if (bytes > 0) {
                give(uid, bytes);
            }
            bytes = 0;
        }
    }
}
