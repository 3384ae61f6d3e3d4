package dev.berth.server.notify;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The limits of the outbox: of notices and of receivers that they wait for, for each user and in all. For one thread. */
final class OutboxLimits {
    static final int MAX_A_USER = 20_000;
    static final int MAX_IN_ALL = 100_000;
    static final int MAX_RECEIVERS_A_USER = 200;
    static final int MAX_RECEIVERS_IN_ALL = 5_000;

    private final Map<Long, Long> waiting;
    private final Map<Long, Set<String>> receivers;
    private long all;
    private int allReceivers;

    /**
     * Limits of an outbox.
     *
     * @param waiting the number of notices that wait, by user
     * @param receivers those that they wait for, by user
     */
    OutboxLimits(Map<Long, Long> waiting, Map<Long, Set<String>> receivers) {
        this.waiting = new HashMap<>(waiting);
        this.receivers = new HashMap<>(receivers);
        this.all = waiting.values().stream().mapToLong(Long::longValue).sum();
        this.allReceivers = receivers.values().stream().mapToInt(Set::size).sum();
    }

    /** Takes another notice in; false where that is more than may wait. */
    boolean takes(long uid, String receiver) {
        long own = waiting.getOrDefault(uid, 0L);
        Set<String> known = receivers.computeIfAbsent(uid, _ -> new HashSet<>());
        boolean isKnown = known.contains(receiver);
        boolean hasRoom = known.size() < MAX_RECEIVERS_A_USER && allReceivers < MAX_RECEIVERS_IN_ALL;
        if (own >= MAX_A_USER || all >= MAX_IN_ALL || !(isKnown || hasRoom)) {
            return false;
        }
        if (known.add(receiver)) {
            allReceivers++;
        }
        waiting.put(uid, own + 1);
        all++;
        return true;
    }
}
