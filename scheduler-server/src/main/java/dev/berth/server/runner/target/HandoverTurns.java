package dev.berth.server.runner.target;

import dev.berth.core.machine.Attempt;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The order in which jobs are handed over to their targets: one after the other, as they had their turns, so that an engine
 * that keeps the order of submits keeps that of Berth. Safe for any thread.
 */
final class HandoverTurns {
    /** Of each target those that are to be handed over. */
    private final Map<String, LinkedHashMap<Attempt, Turn>> waiting = new HashMap<>();

    private final Set<Resting> resting = new HashSet<>();

    /**
     * A place among them.
     *
     * @param user whose it is
     * @param begin complete once it is the first
     */
    private record Turn(long user, CompletableFuture<Void> begin) {
        static Turn of(long user) {
            return new Turn(user, new CompletableFuture<>());
        }
    }

    /** A user whose jobs nobody waits for now: they keep their places. */
    private record Resting(String target, long user) {}

    /** Notes that an attempt is to be handed over behind all others that are. */
    synchronized void expect(String target, Attempt attempt, long user) {
        of(target).putIfAbsent(attempt, Turn.of(user));
        callFirst(target);
    }

    private Map<Attempt, Turn> of(String target) {
        return waiting.computeIfAbsent(target, _ -> new LinkedHashMap<>());
    }

    /** Those that are to be handed over to a target, in the order of their turns. */
    synchronized List<Attempt> waiting(String target) {
        return List.copyOf(of(target).keySet());
    }

    /**
     * Complete once it is an attempt's turn; at once for one that nobody expects. Its user's jobs are waited for again.
     */
    synchronized CompletableFuture<Void> turn(String target, Attempt attempt) {
        Turn turn = of(target).get(attempt);
        if (turn == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (resting.remove(new Resting(target, turn.user()))) {
            callFirst(target);
        }
        return turn.begin();
    }

    /** Lets the next one have its turn: an attempt is handed over, or is not to be any more. */
    synchronized void end(String target, Attempt attempt) {
        Turn turn = of(target).remove(attempt);
        if (turn != null) {
            turn.begin().complete(null);
        }
        callFirst(target);
    }

    /** The same, whatever its target. */
    synchronized void end(Attempt attempt) {
        List.copyOf(waiting.keySet()).forEach(target -> end(target, attempt));
    }

    /** Lets the others go first: an attempt cannot be handed over for the time being, by a fault that is its own. */
    synchronized void putBack(String target, Attempt attempt) {
        Turn turn = of(target).remove(attempt);
        if (turn != null) {
            expect(target, attempt, turn.user());
        }
    }

    /** Lets other users' jobs pass those of one, of which an attempt has failed, until one of these asks again. */
    synchronized void rest(String target, Attempt attempt) {
        Turn turn = of(target).get(attempt);
        if (turn != null) {
            // It keeps its place, and is called anew.
            Turn _ = of(target).put(attempt, Turn.of(turn.user()));
            resting.add(new Resting(target, turn.user()));
            callFirst(target);
        }
    }

    private void callFirst(String target) {
        of(target).values().stream()
                .filter(turn -> !resting.contains(new Resting(target, turn.user())))
                .findFirst()
                .ifPresent(turn -> turn.begin().complete(null));
    }
}
