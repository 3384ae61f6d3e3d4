package dev.berth.server.notify;

import java.util.HashMap;
import java.util.Map;

/** The room in the outbox: for each user, and in all. For one thread. */
final class Room {
    static final int MAX_A_USER = 20_000;
    static final int MAX_IN_ALL = 100_000;

    private final Map<Long, Long> waiting;
    private long all;

    /** @param waiting the number of notices that wait, by user */
    Room(Map<Long, Long> waiting) {
        this.waiting = new HashMap<>(waiting);
        this.all = waiting.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Takes a place for another notice; false where there is none. */
    boolean takes(long uid) {
        long own = waiting.getOrDefault(uid, 0L);
        if (own >= MAX_A_USER || all >= MAX_IN_ALL) {
            return false;
        }
        waiting.put(uid, own + 1);
        all++;
        return true;
    }
}
