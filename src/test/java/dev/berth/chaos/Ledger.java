package dev.berth.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;
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
     * @param awaited the job that it waits for, if any
     * @param job the number that was acknowledged, if any
     * @param cancelTried whether a cancel was sent, acknowledged or not
     * @param cancelled when a cancel was acknowledged, in nanoseconds of the machine's monotonic clock; empty for none
     */
    record Entry(Wish wish, OptionalLong awaited, OptionalLong job, boolean cancelTried, OptionalLong cancelled) {

        Entry acknowledged(long id) {
            return new Entry(wish, awaited, OptionalLong.of(id), cancelTried, cancelled);
        }

        Entry withCancelTried() {
            return new Entry(wish, awaited, job, true, cancelled);
        }

        Entry withCancelled() {
            return new Entry(wish, awaited, job, true, OptionalLong.of(System.nanoTime()));
        }

        /** As the option and the API's field name it; empty where it waits for none. */
        Optional<String> dependency() {
            return awaited.isPresent() ? Optional.of(wish.after() + ":" + awaited.getAsLong()) : Optional.empty();
        }

        /** Whether it may start once the job that it waits for has ended so. */
        boolean isMetBy(String state) {
            return switch (wish.after()) {
                case "afterok" -> state.equals("COMPLETED");
                case "afternotok" -> !state.equals("COMPLETED");
                default -> true;
            };
        }
    }

    private final Map<Integer, Entry> entries = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> complaints = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Followed> followed = new ConcurrentLinkedQueue<>();

    /** Notes what somebody is about to submit; where it waits for another job, that is the newest. */
    Entry add(Wish wish) {
        OptionalLong awaited = wish.after().isEmpty()
                ? OptionalLong.empty()
                : entries.values().stream()
                        .flatMapToLong(entry -> entry.job().stream())
                        .max();
        Entry entry = new Entry(wish, awaited, OptionalLong.empty(), false, OptionalLong.empty());
        entries.put(wish.number(), entry);
        return entry;
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
