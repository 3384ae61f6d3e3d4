package dev.berth.server.http.exchange;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A bound for each user on how much of something they have at once. Safe for any thread. */
final class UserLimit {
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();
    private final int each;

    UserLimit(int each) {
        this.each = each;
    }

    /** Takes one more; false where that would be too many. */
    boolean take(String who) {
        boolean[] took = new boolean[1];
        taken.compute(who, (_, count) -> {
            int now = count == null ? 0 : count;
            took[0] = now < each;
            return took[0] ? Integer.valueOf(now + 1) : count;
        });
        return took[0];
    }

    /** Gives one back. */
    void leave(String who) {
        taken.computeIfPresent(who, (_, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    int each() {
        return each;
    }
}
