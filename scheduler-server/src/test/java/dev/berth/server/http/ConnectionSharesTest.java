package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.http.ConnectionShares.Answer;
import dev.berth.server.http.ConnectionShares.Owner;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets in, and who goes for it. Of 32 connections 8 are those of unknown clients, 2 the operators', 22 users'. */
class ConnectionSharesTest {
    private final ConnectionShares shares = new ConnectionShares(32, 6);
    private final List<String> gone = new ArrayList<>();
    private long arrived;

    private final class Client implements ConnectionShares.Connection {
        private final String name;
        private final boolean isFresh;
        private boolean isIdle;

        Client(String name, boolean isIdle, boolean isFresh) {
            this.name = name;
            this.isIdle = isIdle;
            this.isFresh = isFresh;
        }

        @Override
        public boolean isIdle() {
            return isIdle;
        }

        @Override
        public boolean isFresh() {
            return isFresh;
        }

        @Override
        public void cut(String why) {
            gone.add(name);
        }
    }

    private Client busy(String name) {
        return new Client(name, false, false);
    }

    private Client idle(String name) {
        return new Client(name, true, false);
    }

    /** Whose first request has not been read yet. */
    private Client fresh(String name) {
        return new Client(name, true, true);
    }

    private Answer admit(Client client, Owner owner) {
        return shares.admit(client, owner);
    }

    private static Owner user(String name) {
        return new Owner.User(name, false, false);
    }

    /** The newest. */
    private Owner unknown(String address) {
        arrived++;
        return new Owner.Unknown(address, arrived);
    }

    private static Owner remote(String name) {
        return new Owner.User(name, false, true);
    }

    private void fill(int users, Owner.User like) {
        for (int user = 0; user < users; user++) {
            for (int i = 0; i < 5; i++) {
                Owner owner = new Owner.User("user" + user, like.isOperator(), like.isRemote());
                assertThat(admit(busy("u" + user), owner)).isEqualTo(Answer.ADMITTED);
            }
        }
    }

    @Test
    void aNewUnknownClientTakesThePlaceOfTheOldestOfTheAddressWithMost() {
        assertThat(admit(idle("single"), unknown("other"))).isEqualTo(Answer.ADMITTED);
        for (int i = 0; i < 9; i++) {
            assertThat(admit(idle("c" + i), unknown("crowd"))).isEqualTo(Answer.ADMITTED);
        }
        assertThat(gone).containsExactly("c0", "c1");
        assertThat(admit(idle("new"), unknown("third"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).containsExactly("c0", "c1", "c2");
    }

    @Test
    void anUnknownClientGoesByItsAgeWhetherItIdlesOrNot() {
        for (int i = 0; i < 8; i++) {
            assertThat(admit(i == 4 ? idle("i" + i) : busy("b" + i), unknown("a")))
                    .isEqualTo(Answer.ADMITTED);
        }
        assertThat(admit(busy("new"), unknown("a"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("newer"), unknown("a"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).containsExactly("b0", "b1");
    }

    /** Whoever has as many addresses as connections. */
    @Test
    void ofAddressesWithOneEachTheOldestGoes() {
        for (int i = 0; i < 12; i++) {
            assertThat(admit(idle("c" + i), unknown("address " + (i * 7919)))).isEqualTo(Answer.ADMITTED);
        }
        assertThat(gone).containsExactly("c0", "c1", "c2", "c3");
    }

    @Test
    void ofAddressesWithAsManyThatOfTheOldestGoes() {
        Client first = idle("a0");
        assertThat(admit(first, unknown("a"))).isEqualTo(Answer.ADMITTED);
        for (int i = 1; i < 8; i++) {
            assertThat(admit(idle(i % 2 == 0 ? "a" + i : "b" + i), unknown(i % 2 == 0 ? "a" : "b")))
                    .isEqualTo(Answer.ADMITTED);
        }
        // Whoever asks is as old as before.
        shares.touch(first);
        assertThat(admit(idle("c"), unknown("c"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(idle("d"), unknown("d"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).containsExactly("a0", "b1");
    }

    @Test
    void oneThatIsAnsweredIsSparedForAnIdleOneAsOld() {
        assertThat(admit(busy("asks"), unknown("a"))).isEqualTo(Answer.ADMITTED);
        for (int i = 1; i < 20; i++) {
            assertThat(admit(idle("c" + i), unknown("a"))).isEqualTo(Answer.ADMITTED);
        }
        assertThat(gone).hasSize(12).startsWith("c1", "c2").doesNotContain("asks", "c19");
    }

    /** So that nobody is cut off before they have asked, by whoever keeps all others busy. */
    @Test
    void theNewestGoesForNoneThatIsAnswered() {
        for (int i = 0; i < 8; i++) {
            assertThat(admit(busy("b" + i), unknown("a"))).isEqualTo(Answer.ADMITTED);
        }
        assertThat(admit(idle("new"), unknown("a"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(idle("newer"), unknown("a"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).containsExactly("b0", "b1");
    }

    /** Threads open the connections, in any order. */
    @Test
    void anUnknownClientsAgeIsThatOfItsArrival() {
        Client last = busy("last");
        assertThat(admit(last, new Owner.Unknown("a", 20))).isEqualTo(Answer.ADMITTED);
        for (int arrival = 1; arrival < 20; arrival++) {
            assertThat(admit(idle("c" + arrival), new Owner.Unknown("a", arrival)))
                    .isEqualTo(Answer.ADMITTED);
        }
        assertThat(gone).hasSize(12).doesNotContain("last");
        assertThat(admit(idle("late"), new Owner.Unknown("a", 0))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).endsWith("late");
    }

    @Test
    void whoAsksIsNotTheOldestAnyMore() {
        Client first = idle("first");
        assertThat(admit(first, user("ada"))).isEqualTo(Answer.ADMITTED);
        for (int i = 1; i < 6; i++) {
            assertThat(admit(idle("a" + i), user("ada"))).isEqualTo(Answer.ADMITTED);
        }
        shares.touch(first);
        assertThat(admit(busy("new"), user("ada"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).containsExactly("a1");
    }

    /** The server may be slow to read its request. */
    @Test
    void oneThatHasJustComeIsSparedForAnIdleOne() {
        assertThat(admit(fresh("new"), user("a"))).isEqualTo(Answer.ADMITTED);
        for (int i = 0; i < 5; i++) {
            assertThat(admit(idle("answered" + i), user("a"))).isEqualTo(Answer.ADMITTED);
        }
        assertThat(admit(busy("b"), user("a"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).containsExactly("answered0");
    }

    @Test
    void whereAllHaveJustComeTheNextIsRefused() {
        for (int i = 0; i < 6; i++) {
            assertThat(admit(fresh("n" + i), user("a"))).isEqualTo(Answer.ADMITTED);
        }
        assertThat(admit(busy("b"), user("a"))).isEqualTo(Answer.USER_HAS_ENOUGH);
        assertThat(gone).isEmpty();
    }

    @Test
    void aUserWithoutIdleConnectionsIsRefusedAndNobodyGoes() {
        for (int i = 0; i < 6; i++) {
            assertThat(admit(busy("a"), i % 2 == 0 ? user("ada") : remote("ada")))
                    .isEqualTo(Answer.ADMITTED);
        }
        assertThat(admit(busy("new"), user("ada"))).isEqualTo(Answer.USER_HAS_ENOUGH);
        assertThat(admit(busy("b"), user("bob"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).isEmpty();
    }

    @Test
    void whoWasRefusedUnderTheirNameStaysUnknown() {
        for (int i = 0; i < 6; i++) {
            assertThat(admit(busy("a"), user("ada"))).isEqualTo(Answer.ADMITTED);
        }
        Client one = busy("one");
        Owner unknown = unknown("a");
        assertThat(admit(one, unknown)).isEqualTo(Answer.ADMITTED);
        assertThat(admit(one, user("ada"))).isEqualTo(Answer.USER_HAS_ENOUGH);
        assertThat(shares.owner(one)).contains(unknown);
        shares.leave(one);
        assertThat(shares.owner(one)).isEmpty();
    }

    @Test
    void aFullServerLetsOperatorsInAndTheUnknown() {
        fill(4, new Owner.User("", false, false));
        assertThat(admit(busy("x"), user("x"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("x"), user("x"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("y"), user("y"))).isEqualTo(Answer.SERVER_IS_FULL);
        assertThat(admit(busy("z"), unknown("z"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("root"), new Owner.User("root", true, false))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("root"), new Owner.User("root", true, false))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("root"), new Owner.User("root", true, false))).isEqualTo(Answer.SERVER_IS_FULL);
        assertThat(gone).isEmpty();
    }

    @Test
    void inAFullServerAnIdleOneOfTheUserWithMostGoes() {
        fill(4, new Owner.User("", false, false));
        assertThat(admit(idle("x"), user("x"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(idle("more"), user("user2"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("y"), user("y"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("z"), user("z"))).isEqualTo(Answer.ADMITTED);
        assertThat(gone).containsExactly("more", "x");
    }

    @Test
    void theNetworkLeavesRoomForTheMachinesOwnUsers() {
        fill(3, new Owner.User("", false, true));
        assertThat(admit(busy("r"), remote("r"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("r"), remote("r"))).isEqualTo(Answer.ADMITTED);
        assertThat(admit(busy("r"), remote("r"))).isEqualTo(Answer.SERVER_IS_FULL);
        assertThat(admit(busy("l"), user("l"))).isEqualTo(Answer.ADMITTED);
    }
}
