package dev.berth.server.runner.docker.image;

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
import java.util.stream.Stream;

/**
 * The pulls that are under way: two at a time, those of the jobs that are first in the queue. One that stands still
 * counts no more after a while, so that a registry that hangs costs the others that time and no more; of one user there
 * are so many at a time in all, and none for a while after too many that took their time and failed. While others'
 * wait, a user whose pull is under way comes last, and a pull that has gone on for long, but for that of the queue's
 * first job, gives its place up. Safe for any thread.
 *
 * @param <T> one pull
 */
final class PullShares<T> {
    /** The number of pulls that get on that are under way at a time. */
    static final int MAX_MOVING = 2;

    /** The number of one user's pulls that are under way at a time, those that stand still included. */
    static final int MAX_OF_USER = 4;

    /** A pull that has brought nothing for so long does not hold others up. */
    static final Duration STILL = Duration.ofSeconds(10);

    /**
     * A pull that has had its place for so long gives it up to another user's that has had none for so long. Docker
     * keeps the layers that are done; on a slow line a shorter time would not be enough for a large one.
     */
    static final Duration TURN = Duration.ofMinutes(30);

    /** The time in which a pull must be finished, its turns added up. */
    static final Duration LONGEST = Duration.ofHours(3);

    /** A failed pull counts from here on: a registry that answers, answers sooner. */
    static final Duration SLOW = Duration.ofSeconds(15);

    /** The number of slow failures within {@link #MEMORY} after which no further pull is begun. */
    static final int MAX_SLOW = 3;

    static final Duration MEMORY = Duration.ofMinutes(10);

    /**
     * A pull that waits or is under way.
     *
     * @param round how many had given their place up when it began to wait; those of an earlier one go first
     * @param had how long it was under way before this turn
     */
    private record Claim(long owner, int round, Duration had) {}

    /**
     * A pull under way.
     *
     * @param news when it last brought something, or began
     * @param queued whether the engine lets it wait for its other downloads
     * @param yields whether it was told to give its place up
     */
    private record Running(Claim claim, Instant began, Instant news, boolean queued, boolean yields) {
        Duration lasted(Instant now) {
            return Duration.between(began, now);
        }
    }

    private final Map<T, Running> running = new HashMap<>();

    /** The time since which it is being looked whether a pull is needed. */
    private final Map<T, Instant> looked = new HashMap<>();

    private final Map<T, Claim> waiting = new HashMap<>();
    private final Map<Long, Deque<Instant>> slow = new HashMap<>();
    private int round;
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

    /** Notes that it is being looked whether this pull is needed: none behind it takes its place meanwhile. */
    synchronized void looks(T pull) {
        looked.put(pull, clock.instant());
    }

    /** Whether the pull may go on; one that may not is named by {@link #next} when its turn has come. */
    synchronized boolean enters(long owner, T pull) {
        looked.remove(pull);
        Running known = running.get(pull);
        if (known != null) {
            // Once more, after the engine failed at it: the time until then was not its own.
            running.put(pull, new Running(known.claim(), clock.instant(), known.news(), false, known.yields()));
            return true;
        }
        waiting.putIfAbsent(pull, new Claim(owner, round, Duration.ZERO));
        if (first().filter(pull::equals).isPresent()) {
            begin(pull);
            return true;
        }
        return false;
    }

    /** The pull has brought something, or waits inside the engine from now on. */
    synchronized void moves(T pull, boolean queued) {
        running.computeIfPresent(
                pull, (_, known) -> new Running(known.claim(), known.began(), clock.instant(), queued, known.yields()));
    }

    /** Whether the pull is to give its place up; it has it until {@link #waitsAgain}. */
    synchronized boolean yields(T pull) {
        Running known = running.get(pull);
        if (known == null) {
            return false;
        }
        boolean yields = known.yields() || isInTheWay(pull, known);
        running.put(pull, new Running(known.claim(), known.began(), known.news(), known.queued(), yields));
        return yields;
    }

    /**
     * Whether a pull has had its turn, and others' wait. What does not move is in nobody's way, nor is what all others
     * wait behind.
     */
    private boolean isInTheWay(T pull, Running known) {
        Map<T, Running> moving = moving();
        if (!moving.containsKey(pull)
                || isFirst(pull)
                || known.lasted(clock.instant()).compareTo(TURN) < 0) {
            return false;
        }
        long owner = known.claim().owner();
        return isAnyQueued(owner) || isPlaceWanted(owner, moving);
    }

    private boolean isFirst(T pull) {
        long own = place.applyAsLong(pull);
        return Stream.of(running, waiting, looked)
                .flatMap(pulls -> pulls.keySet().stream())
                .allMatch(other -> place.applyAsLong(other) >= own);
    }

    /** Whether the engine's downloads keep another user's waiting. */
    private boolean isAnyQueued(long owner) {
        return running.values().stream().noneMatch(Running::yields)
                && running.values().stream()
                        .anyMatch(other -> other.queued()
                                && isFresh(other.claim())
                                && other.claim().owner() != owner);
    }

    private boolean isPlaceWanted(long owner, Map<T, Running> moving) {
        return moving.values().stream().filter(it -> !it.yields()).count() >= MAX_MOVING
                && waiting.entrySet().stream()
                        .anyMatch(other -> isFresh(other.getValue())
                                && other.getValue().owner() != owner
                                && place.applyAsLong(other.getKey()) < Long.MAX_VALUE
                                && !isMoving(other.getValue().owner())
                                && mayBegin(other.getValue()));
    }

    private static boolean isFresh(Claim claim) {
        return claim.had().compareTo(TURN) < 0;
    }

    /** The pull has given its place up, and goes on in its turn; false where it was not to. */
    synchronized boolean waitsAgain(T pull) {
        Running known = running.get(pull);
        if (known == null || !known.yields()) {
            return false;
        }
        running.remove(pull);
        Claim claim = known.claim();
        Duration lasted = known.lasted(clock.instant());
        // Behind those that wait by now, and before those that come later.
        int next = lasted.compareTo(TURN) < 0 ? claim.round() : ++round;
        waiting.put(pull, new Claim(claim.owner(), next, claim.had().plus(lasted)));
        return true;
    }

    /** Whether the pull has had all the time that there is for one. */
    synchronized boolean isTooLong(T pull) {
        Running known = running.get(pull);
        return known != null
                && known.claim().had().plus(known.lasted(clock.instant())).compareTo(LONGEST) >= 0;
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
        next.ifPresent(this::begin);
        return next;
    }

    /** Whether any pull waits for its turn. */
    synchronized boolean isWaitedFor() {
        return !waiting.isEmpty();
    }

    private void begin(T pull) {
        Claim claim = waiting.remove(pull);
        if (claim != null) {
            Instant now = clock.instant();
            running.put(pull, new Running(claim, now, now, false, false));
        }
    }

    private Map<T, Running> moving() {
        Instant still = clock.instant().minus(STILL);
        Map<T, Running> moving = new HashMap<>(running);
        moving.values().removeIf(it -> !it.news().isAfter(still));
        return moving;
    }

    private boolean isMoving(long owner) {
        return moving().values().stream().anyMatch(it -> it.claim().owner() == owner);
    }

    /** Whether its user has not as many under way as there may be. */
    private boolean mayBegin(Claim claim) {
        return running.values().stream()
                        .filter(it -> it.claim().owner() == claim.owner())
                        .count()
                < MAX_OF_USER;
    }

    /**
     * Whether there is room for a pull at this place, beside those under way and those before it that may need theirs.
     */
    private boolean hasRoomAt(long own) {
        Instant still = clock.instant().minus(STILL);
        long before = looked.entrySet().stream()
                .filter(look -> look.getValue().isAfter(still) && place.applyAsLong(look.getKey()) < own)
                .count();
        return moving().size() + before < MAX_MOVING;
    }

    /** The first that waits and may go on: a user's second comes after all others' first. */
    private Optional<T> first() {
        return waiting.entrySet().stream()
                .filter(entry -> mayBegin(entry.getValue()))
                .min(Comparator.comparing((Map.Entry<T, Claim> entry) ->
                                isMoving(entry.getValue().owner()))
                        .thenComparingInt(entry -> entry.getValue().round())
                        .thenComparingLong(entry -> place.applyAsLong(entry.getKey())))
                .map(Map.Entry::getKey)
                .filter(pull -> hasRoomAt(place.applyAsLong(pull)));
    }

    /** A pull of that user's has failed after so long. */
    synchronized void failed(long owner, Duration after) {
        if (after.compareTo(SLOW) >= 0) {
            slow.computeIfAbsent(owner, _ -> new ArrayDeque<>()).add(clock.instant());
        }
    }

    /** The reason why no pull of that user's is begun now. */
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
