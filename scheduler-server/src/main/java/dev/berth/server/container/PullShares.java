package dev.berth.server.container;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How much of the engine's pulls is one user's: so many at a time, the others in their order behind them, and none for a
 * while after too many that took their time and failed. Safe for any thread.
 *
 * @param <T> one pull
 */
final class PullShares<T> {
    /** How many pulls of one user's are under way at a time. */
    static final int MAX_RUNNING = 4;

    /** A failed pull counts from here on: a registry that answers, answers sooner. */
    static final Duration SLOW = Duration.ofSeconds(15);

    /** So many slow failures within {@link #MEMORY} and no further pull is begun. */
    static final int MAX_SLOW = 3;

    static final Duration MEMORY = Duration.ofMinutes(10);

    private static final class Share<T> {
        private final Set<T> running = new HashSet<>();
        private final Deque<T> waiting = new ArrayDeque<>();
        private final Deque<Instant> slow = new ArrayDeque<>();

        boolean isEmpty() {
            return running.isEmpty() && waiting.isEmpty() && slow.isEmpty();
        }
    }

    private final Map<Long, Share<T>> shares = new HashMap<>();
    private final InstantSource clock;

    PullShares(InstantSource clock) {
        this.clock = clock;
    }

    /** Whether the pull may go on; one that may not is named by {@link #leave} when its turn has come. */
    synchronized boolean enters(long owner, T pull) {
        Share<T> share = shares.computeIfAbsent(owner, _ -> new Share<>());
        if (share.running.contains(pull)) {
            return true;
        }
        if (share.running.size() < MAX_RUNNING) {
            share.running.add(pull);
            return true;
        }
        if (!share.waiting.contains(pull)) {
            share.waiting.add(pull);
        }
        return false;
    }

    /** The pull has ended, or was not begun; the next one of that user's, which may go on. */
    synchronized Optional<T> leave(long owner, T pull) {
        Share<T> share = shares.get(owner);
        if (share == null) {
            return Optional.empty();
        }
        share.waiting.remove(pull);
        Optional<T> next = share.running.remove(pull) ? Optional.ofNullable(share.waiting.poll()) : Optional.empty();
        next.ifPresent(share.running::add);
        tidy();
        return next;
    }

    /** A pull of that user's has failed after so long. */
    synchronized void failed(long owner, Duration after) {
        if (after.compareTo(SLOW) >= 0) {
            shares.computeIfAbsent(owner, _ -> new Share<>()).slow.add(clock.instant());
        }
    }

    /** Why no pull of that user's is begun now. */
    synchronized Optional<String> refusal(long owner) {
        tidy();
        Share<T> share = shares.get(owner);
        return share == null || share.slow.size() < MAX_SLOW
                ? Optional.empty()
                : Optional.of("the last " + MAX_SLOW + " pulls of yours took " + SLOW.toSeconds()
                        + " s and more each and failed, so that none is begun within " + MEMORY.toMinutes()
                        + " minutes of them");
    }

    private void tidy() {
        Instant oldest = clock.instant().minus(MEMORY);
        shares.values().forEach(share -> share.slow.removeIf(at -> at.isBefore(oldest)));
        shares.values().removeIf(Share::isEmpty);
    }
}
