package dev.berth.server.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The shares of connections: who has how many, and which of them goes where there are too many. Those whose user is not
 * known have a part of the room to themselves, in which the newest always finds a place: one of the oldest of the
 * address that has most of them goes. The others are counted by user, however they came; before one is refused, an idle
 * one of the same user, or of the user who has most, goes, but none that may be about to ask. A part of the room is the
 * operators'. Safe for any thread.
 */
final class ConnectionShares {
    private static final int UNKNOWN_PART = 4;
    private static final int OPERATORS_PART = 16;

    /** Of the room for known users, what those of the network leave to the machine's own. */
    private static final int LOCAL_PART = 4;

    /** Of an address's unknown ones, the oldest part of them, of which one that asks for nothing goes first. */
    private static final int OLD_PART = 4;

    /** A connection. */
    interface Connection {
        /** Whether its client has asked for nothing that is not answered yet. */
        boolean isIdle();

        /** Whether it is so new that its first request may be on its way. */
        boolean isFresh();

        /** Ends it at once. */
        void cut(String why);
    }

    /** The owner of a connection. */
    sealed interface Owner {
        /**
         * A client at that address that has not said who it is.
         *
         * @param arrival the connection's place in the order of arrival
         */
        record Unknown(String address, long arrival) implements Owner {}

        /**
         * A user of the machine.
         *
         * @param isOperator whether the operators' part is for them
         * @param isRemote whether they came over TCP
         */
        record User(String name, boolean isOperator, boolean isRemote) implements Owner {}
    }

    /** The decision on a connection. */
    enum Answer {
        ADMITTED,
        SERVER_IS_FULL,
        USER_HAS_ENOUGH
    }

    /** In the order of their last requests, the oldest first. */
    private final Map<Connection, Owner> owners = new LinkedHashMap<>();

    private final int eachUser;
    private final int unknown;
    private final int known;
    private final int operators;

    /**
     * Without connections yet.
     *
     * @param inAll how many there may be
     * @param eachUser how many a user may have
     */
    ConnectionShares(int inAll, int eachUser) {
        this.eachUser = eachUser;
        this.unknown = Math.max(1, inAll / UNKNOWN_PART);
        this.operators = Math.max(1, inAll / OPERATORS_PART);
        this.known = Math.max(1, inAll - unknown - operators);
    }

    int eachUser() {
        return eachUser;
    }

    /** Takes a connection in, or finds that another owner has it now; where that is refused, nothing changes. */
    Answer admit(Connection connection, Owner owner) {
        Verdict verdict;
        synchronized (owners) {
            Owner before = owners.remove(connection);
            verdict = switch (owner) {
                case Owner.Unknown newest -> placeUnknown(connection, newest);
                case Owner.User user -> placeKnown(user);
            };
            Owner now = verdict.answer == Answer.ADMITTED ? owner : before;
            if (now != null) {
                owners.put(connection, now);
            }
            if (verdict.goes != null) {
                owners.remove(verdict.goes);
            }
        }
        if (verdict.goes != null) {
            verdict.goes.cut("its place is needed");
        }
        return verdict.answer;
    }

    /** Notes that a connection asks for something: one that has not done so for longer goes before it. */
    void touch(Connection connection) {
        synchronized (owners) {
            Owner owner = owners.remove(connection);
            if (owner != null) {
                owners.put(connection, owner);
            }
        }
    }

    Optional<Owner> owner(Connection connection) {
        synchronized (owners) {
            return Optional.ofNullable(owners.get(connection));
        }
    }

    /** Forgets a connection that has ended; no matter if it is not among them any more. */
    void leave(Connection connection) {
        synchronized (owners) {
            owners.remove(connection);
        }
    }

    private record Verdict(Answer answer, @Nullable Connection goes) {}

    /**
     * By arrival: a client that means well has just come, and asks at once. Connections are opened by many threads in
     * any order, so that the one to go may be the one that is placed.
     */
    private Verdict placeUnknown(Connection connection, Owner.Unknown owner) {
        owners.put(connection, owner);
        return new Verdict(
                Answer.ADMITTED, count(Owner.Unknown.class::isInstance) <= unknown ? null : oldestUnknownOfMost());
    }

    private record Stranger(Connection connection, Owner.Unknown owner) {}

    /**
     * Of two addresses that have as many, the one whose oldest came first. One whose request is being answered is
     * spared for an idle one that is among the oldest as well, and for no newer one: who keeps the server busy would
     * else have all that come cut off before they can ask.
     */
    private @Nullable Connection oldestUnknownOfMost() {
        Map<String, List<Stranger>> addresses = new LinkedHashMap<>();
        owners.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Owner.Unknown)
                .map(entry -> new Stranger(entry.getKey(), (Owner.Unknown) entry.getValue()))
                .sorted(Comparator.comparingLong(it -> it.owner().arrival()))
                .forEach(it -> addresses
                        .computeIfAbsent(it.owner().address(), _ -> new ArrayList<>())
                        .add(it));
        // The first of the largest ones.
        List<Stranger> most = addresses.values().stream()
                .max(Comparator.comparingInt(List::size))
                .orElse(List.of());
        return most.stream()
                .limit(most.size() / OLD_PART)
                .filter(it -> it.connection().isIdle())
                .findFirst()
                .or(() -> most.stream().findFirst())
                .map(Stranger::connection)
                .orElse(null);
    }

    private Verdict placeKnown(Owner.User user) {
        Predicate<Owner> own = owner -> nameOf(owner).equals(user.name());
        if (count(own) >= eachUser) {
            return insteadOf(oldestIdle(own), Answer.USER_HAS_ENOUGH);
        }
        Predicate<Owner> users = Owner.User.class::isInstance;
        Predicate<Owner> remote = owner -> owner instanceof Owner.User it && it.isRemote();
        if (count(users) >= (user.isOperator() ? known + operators : known)) {
            return insteadOf(idleOfMost(users, user), Answer.SERVER_IS_FULL);
        }
        if (user.isRemote() && !user.isOperator() && count(remote) >= Math.max(1, known - known / LOCAL_PART)) {
            return insteadOf(idleOfMost(remote, user), Answer.SERVER_IS_FULL);
        }
        return new Verdict(Answer.ADMITTED, null);
    }

    private static Verdict insteadOf(@Nullable Connection idle, Answer otherwise) {
        return idle == null ? new Verdict(otherwise, null) : new Verdict(Answer.ADMITTED, idle);
    }

    /** An operator's goes for another operator's only. */
    private @Nullable Connection idleOfMost(Predicate<Owner> among, Owner.User user) {
        Predicate<Owner> mayGo =
                among.and(owner -> user.isOperator() || !(owner instanceof Owner.User it && it.isOperator()));
        Connection idle = oldestIdle(ofMost(mayGo, ConnectionShares::nameOf));
        return idle == null ? oldestIdle(mayGo) : idle;
    }

    private static String nameOf(Owner owner) {
        return owner instanceof Owner.User user ? user.name() : "";
    }

    private long count(Predicate<Owner> which) {
        return owners.values().stream().filter(which).count();
    }

    /**
     * Of those, the ones whose key most of them have; of two keys, that of the one which has asked for nothing for
     * longer.
     */
    private <K> Predicate<Owner> ofMost(Predicate<Owner> which, Function<Owner, K> key) {
        Map<K, Integer> counts = new LinkedHashMap<>();
        owners.values().stream().filter(which).forEach(owner -> counts.merge(key.apply(owner), 1, Integer::sum));
        K most = counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(null);
        return which.and(owner -> Objects.equals(key.apply(owner), most));
    }

    private @Nullable Connection oldestIdle(Predicate<Owner> which) {
        return owners.entrySet().stream()
                .filter(entry -> which.test(entry.getValue()))
                .map(Map.Entry::getKey)
                .filter(connection -> connection.isIdle() && !connection.isFresh())
                .findFirst()
                .orElse(null);
    }
}
