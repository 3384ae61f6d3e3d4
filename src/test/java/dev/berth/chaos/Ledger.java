package dev.berth.chaos;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/** What clients wanted and what they were told. For any thread. */
final class Ledger {
    /**
     * A wish and what became of it.
     *
     * @param job the number that was acknowledged, if any
     * @param cancelTried whether a cancel was sent, acknowledged or not
     * @param cancelled whether a cancel was acknowledged
     */
    record Entry(Wish wish, OptionalLong job, boolean cancelTried, boolean cancelled) {

        Entry acknowledged(long id) {
            return new Entry(wish, OptionalLong.of(id), cancelTried, cancelled);
        }

        Entry withCancelTried() {
            return new Entry(wish, job, true, cancelled);
        }

        Entry withCancelled() {
            return new Entry(wish, job, true, true);
        }
    }

    private final Map<Integer, Entry> entries = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> complaints = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Followed> followed = new ConcurrentLinkedQueue<>();

    void add(Wish wish) {
        entries.put(wish.number(), new Entry(wish, OptionalLong.empty(), false, false));
    }

    void change(Wish wish, UnaryOperator<Entry> change) {
        entries.computeIfPresent(wish.number(), (_, entry) -> change.apply(entry));
    }

    /** Something that no client should be told. */
    void complain(String what) {
        complaints.add(what);
    }

    void follow(Followed follower) {
        followed.add(follower);
    }

    Map<Integer, Entry> entries() {
        return new TreeMap<>(entries);
    }

    List<String> complaints() {
        return List.copyOf(complaints);
    }

    List<Followed> followed() {
        return List.copyOf(followed);
    }

    long acknowledged() {
        return entries.values().stream()
                .filter(entry -> entry.job().isPresent())
                .count();
    }
}
