package dev.berth.server.notify;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A number of things that each user may have done within a time: all of them at once, and after that one whenever its part of the
 * time has passed. It remembers those users alone who are not yet free to have all. Safe for any thread.
 */
final class UserRate {
    private final int most;
    private final Duration within;
    private final InstantSource clock;

    /** Since when, or from when on, a user may have all at once. */
    private final Map<Long, Instant> free = new HashMap<>();

    /**
     * A rate of which nobody has taken anything.
     *
     * @param clock whose dates only go on
     */
    UserRate(int most, Duration within, InstantSource clock) {
        this.most = most;
        this.within = within;
        this.clock = clock;
    }

    /** Takes one; where there is none, how long it is until there is. */
    synchronized Optional<Duration> take(long uid) {
        Instant now = clock.instant();
        free.values().removeIf(from -> !from.isAfter(now));
        Instant next = free.getOrDefault(uid, now).plus(within.dividedBy(most));
        Instant end = now.plus(within);
        if (next.isAfter(end)) {
            return Optional.of(Duration.between(end, next));
        }
        free.put(uid, next);
        return Optional.empty();
    }

    /** The number of users that are remembered. */
    synchronized int size() {
        return free.size();
    }

    @Override
    public String toString() {
        return most + " within " + within;
    }
}
