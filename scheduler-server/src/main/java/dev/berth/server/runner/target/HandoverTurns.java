package dev.berth.server.runner.target;

import dev.berth.core.machine.Attempt;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The order in which jobs are handed over to their targets: one after the other, as they had their turns, so that an engine
 * that keeps the order of submits keeps that of Berth. Safe for any thread.
 */
final class HandoverTurns {
    /** Of each target those that are to be handed over, each with what is complete once it is the first. */
    private final Map<String, LinkedHashMap<Attempt, CompletableFuture<Void>>> waiting = new HashMap<>();

    /** Notes that an attempt is to be handed over behind all others that are. */
    synchronized void expect(String target, Attempt attempt) {
        waiting.computeIfAbsent(target, _ -> new LinkedHashMap<>()).putIfAbsent(attempt, new CompletableFuture<>());
        callFirst(target);
    }

    /** Those that are to be handed over to a target, in the order of their turns. */
    synchronized List<Attempt> waiting(String target) {
        return List.copyOf(waiting.getOrDefault(target, new LinkedHashMap<>()).keySet());
    }

    /** Complete once it is an attempt's turn; at once for one that nobody expects. */
    synchronized CompletableFuture<Void> turn(String target, Attempt attempt) {
        return waiting.getOrDefault(target, new LinkedHashMap<>())
                .getOrDefault(attempt, CompletableFuture.completedFuture(null));
    }

    /** Lets the next one have its turn: an attempt is handed over, or is not to be any more. */
    synchronized void end(String target, Attempt attempt) {
        LinkedHashMap<Attempt, CompletableFuture<Void>> others = waiting.get(target);
        if (others != null) {
            CompletableFuture<Void> turn = others.remove(attempt);
            if (turn != null) {
                turn.complete(null);
            }
            callFirst(target);
        }
    }

    /** Lets the others go first: an attempt cannot be handed over for the time being, by a fault that is its own. */
    synchronized void putBack(String target, Attempt attempt) {
        LinkedHashMap<Attempt, CompletableFuture<Void>> others = waiting.get(target);
        if (others != null && others.remove(attempt) != null) {
            expect(target, attempt);
        }
    }

    private void callFirst(String target) {
        LinkedHashMap<Attempt, CompletableFuture<Void>> others = waiting.get(target);
        if (others != null && !others.isEmpty()) {
            others.firstEntry().getValue().complete(null);
        }
    }
}
