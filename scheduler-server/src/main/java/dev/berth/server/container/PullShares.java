package dev.berth.server.container;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Which pulls are under way: two at a time, those of the jobs that are first in the queue. One that stands still counts no
 * more after a while, so that a registry that hangs costs the others that time and no more; of one user there are so many
 * at a time in all, and none for a while after too many that took their time and failed. Safe for any thread.
 *
 * @param <T> one pull
 */
final class PullShares<T> {
    /** How many pulls that get on are under way at a time. */
    static final int MAX_MOVING = 2;

    /** How many of one user's are under way at a time, those that stand still included. */
    static final int MAX_OF_USER = 4;

    /** A pull that has brought nothing for so long does not hold others up. */
    static final Duration STILL = Duration.ofSeconds(10);

    /** A failed pull counts from here on: a registry that answers, answers sooner. */
    static final Duration SLOW = Duration.ofSeconds(15);

    /** So many slow failures within {@link #MEMORY} and no further pull is begun. */
    static final int MAX_SLOW = 3;

    static final Duration MEMORY = Duration.ofMinutes(10);

    /**
     * A pull under way.
     *
     * @param news when it last brought something, or began
     */
    private record Running(long owner, Instant news) {}

    private final Map<T, Running> running = new HashMap<>();

    /** Since when it is being looked whether a pull is needed. */
    private final Map<T, Instant> looked = new HashMap<>();

    /** Whose those are that wait. */
    private final Map<T, Long> waiting = new HashMap<>();

    private final Map<Long, Deque<Instant>> slow = new HashMap<>();
    private final ToLongFunction<T> place;
    private final InstantSource clock;

    /**
     * Nothing is under way.
     *
     * @param place where the first job that waits for a pull stands in the queue
     */
    PullShares(ToLongFunction<T> place, InstantSource clock) {
        this.place = place;
        this.clock = clock;
    }

    /** It is being looked whether this pull is needed: none behind it takes its place meanwhile. */
    synchronized void looks(T pull) {
        looked.put(pull, clock.instant());
    }

    /** Whether the pull may go on; one that may not is named by {@link #next} when its turn has come. */
    synchronized boolean enters(long owner, T pull) {
        looked.remove(pull);
        if (running.containsKey(pull)) {
            return true;
        }
        waiting.put(pull, owner);
        if (first().filter(pull::equals).isPresent()) {
            begin(pull, owner);
            return true;
        }
        return false;
    }

    /** The pull has brought something. */
    synchronized void moves(T pull) {
        running.computeIfPresent(pull, (_, known) -> new Running(known.owner(), clock.instant()));
    }

    /** The pull has ended, or was not begun. */
    synchronized void leave(T pull) {
        looked.remove(pull);
        waiting.remove(pull);
        running.remove(pull);
    }

    /** The next pull that waited and may go on now. */
    synchronized Optional<T> next() {
        Optional<T> next = first();
        next.ifPresent(pull -> begin(pull, waiting.getOrDefault(pull, 0L)));
        return next;
    }

    /** Whether any pull waits for its turn. */
    synchronized boolean isWaitedFor() {
        return !waiting.isEmpty();
    }

    private void begin(T pull, long owner) {
        waiting.remove(pull);
        running.put(pull, new Running(owner, clock.instant()));
    }

    /** Whether there is room for a pull at this place, beside those under way and those before it that may need theirs. */
    private boolean hasRoomAt(long own) {
        Instant still = clock.instant().minus(STILL);
        long moving =
                running.values().stream().filter(it -> it.news().isAfter(still)).count();
        long before = looked.entrySet().stream()
                .filter(look -> look.getValue().isAfter(still) && place.applyAsLong(look.getKey()) < own)
                .count();
        return moving + before < MAX_MOVING;
    }

    /** The first that waits and may go on. */
    private Optional<T> first() {
        return waiting.entrySet().stream()
                .filter(entry -> running.values().stream()
                                .filter(it -> it.owner() == entry.getValue())
                                .count()
                        < MAX_OF_USER)
                .map(Map.Entry::getKey)
                .min(Comparator.comparingLong(place))
                .filter(pull -> hasRoomAt(place.applyAsLong(pull)));
    }

    /** A pull of that user's has failed after so long. */
    synchronized void failed(long owner, Duration after) {
        if (after.compareTo(SLOW) >= 0) {
            slow.computeIfAbsent(owner, _ -> new ArrayDeque<>()).add(clock.instant());
        }
    }

    /** Why no pull of that user's is begun now. */
    synchronized Optional<String> refusal(long owner) {
        Instant oldest = clock.instant().minus(MEMORY);
        slow.values().forEach(failures -> failures.removeIf(at -> at.isBefore(oldest)));
        slow.values().removeIf(Deque::isEmpty);
        Deque<Instant> failures = slow.get(owner);
        return failures == null || failures.size() < MAX_SLOW
                ? Optional.empty()
                : Optional.of("the last " + MAX_SLOW + " pulls of yours took " + SLOW.toSeconds()
                        + " s and more each and failed, so that none is begun within " + MEMORY.toMinutes()
                        + " minutes of them");
    }
}
