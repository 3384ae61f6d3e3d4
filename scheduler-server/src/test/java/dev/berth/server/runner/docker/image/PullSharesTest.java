package dev.berth.server.runner.docker.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pulls are called by their places. */
class PullSharesTest {
    private static final long ADA = 1000;
    private static final long BOB = 1001;
    private static final long EVE = 1002;
    private static final long DAN = 1003;

    private Instant now = Instant.EPOCH;
    private final PullShares<Long> shares = new PullShares<>(Long::longValue, () -> now);

    /** As after a restart: all images are looked for at once, and the answers come in any order. */
    @Test
    void theFirstKeepsItsPlaceThoughItsLookEndsLast() {
        List.of(1L, 2L, 3L).forEach(shares::looks);
        assertThat(shares.enters(BOB, 3L)).isFalse();
        assertThat(shares.enters(BOB, 2L)).as("one place is kept for the first").isTrue();
        assertThat(shares.next()).isEmpty();
        assertThat(shares.enters(ADA, 1L)).isTrue();
        shares.leave(2L);
        assertThat(shares.next()).contains(3L);
    }

    /** The second of three is under way, the first is still being looked for, and the third waits. */
    private void keepAPlaceForTheFirst() {
        List.of(1L, 2L, 3L).forEach(shares::looks);
        assertThat(shares.enters(BOB, 2L)).isTrue();
        assertThat(shares.enters(BOB, 3L)).isFalse();
    }

    @Test
    void whatNeedsNoPullKeepsNoPlace() {
        keepAPlaceForTheFirst();
        shares.leave(1L);
        assertThat(shares.next()).contains(3L);
    }

    @Test
    void aLookThatHangsHoldsOthersUpForAWhileOnly() {
        keepAPlaceForTheFirst();
        now = now.plus(PullShares.STILL);
        moves(2L);
        assertThat(shares.next()).contains(3L);
    }

    @Test
    void oneUsersPullsThatStandStillAreFourAtMost() {
        for (long pull = 1; pull <= PullShares.MAX_OF_USER; pull++) {
            assertThat(shares.enters(ADA, pull)).isTrue();
            now = now.plus(PullShares.STILL);
        }
        assertThat(shares.enters(ADA, 5L)).isFalse();
        assertThat(shares.next()).isEmpty();
        assertThat(shares.enters(BOB, 6L)).as("another user's").isTrue();
        shares.leave(1L);
        assertThat(shares.next()).contains(5L);
    }

    @Test
    void oneUsersSecondGivesItsPlaceUpToAnotherUsersAfterATurn() {
        assertThat(shares.enters(ADA, 1L)).isTrue();
        assertThat(shares.enters(ADA, 2L)).isTrue();
        assertThat(shares.enters(ADA, 3L)).isFalse();
        pass(PullShares.TURN);
        assertThat(shares.yields(2L)).as("only Ada's own waits").isFalse();
        assertThat(shares.enters(BOB, 4L)).isFalse();
        assertThat(shares.yields(1L)).as("all others wait behind it").isFalse();
        assertThat(shares.waitsAgain(2L)).as("it was not told to").isFalse();
        assertThat(shares.yields(2L)).isTrue();
        assertThat(shares.yields(2L)).as("until it has heard of it").isTrue();
        assertThat(shares.waitsAgain(2L)).isTrue();
        assertThat(shares.next()).as("who has none comes first").contains(4L);
        assertThat(shares.enters(BOB, 5L)).isFalse();
        shares.leave(4L);
        assertThat(shares.next()).as("who has none comes first").contains(5L);
        shares.leave(5L);
        assertThat(shares.next()).as("who had no turn yet comes first").contains(3L);
    }

    /** A job that was cancelled while its image waited for its turn. */
    @Test
    void whatNobodyWantsTakesNoPlaceAway() {
        assertThat(shares.enters(ADA, 1L)).isTrue();
        assertThat(shares.enters(ADA, 2L)).isTrue();
        assertThat(shares.enters(BOB, Long.MAX_VALUE)).isFalse();
        pass(PullShares.TURN);
        assertThat(shares.yields(2L)).isFalse();
    }

    @Test
    void whatStandsStillIsInNobodysWay() {
        assertThat(shares.enters(ADA, 1L)).isTrue();
        assertThat(shares.enters(ADA, 2L)).isTrue();
        assertThat(shares.enters(BOB, 3L)).isFalse();
        now = now.plus(PullShares.STILL);
        moves(1L);
        assertThat(shares.yields(2L)).isFalse();
        assertThat(shares.next()).contains(3L);
        assertThat(shares.enters(EVE, 4L)).isFalse();
        assertThat(shares.yields(2L)).isFalse();
    }

    @Test
    void whoHasAPlaceTakesNoOther() {
        assertThat(shares.enters(ADA, 1L)).isTrue();
        assertThat(shares.enters(BOB, 2L)).isTrue();
        assertThat(shares.enters(ADA, 3L)).isFalse();
        pass(PullShares.TURN);
        assertThat(shares.yields(2L)).isFalse();
    }

    /** It has its place, and the engine lets it wait until one of its downloads has ended. */
    @Test
    void whatTheEngineLetsWaitIsServedAfterATurn() {
        assertThat(shares.enters(ADA, 1L)).isTrue();
        assertThat(shares.enters(BOB, 2L)).isTrue();
        shares.moves(1L, true);
        assertThat(shares.yields(2L)).isFalse();
        now = now.plus(PullShares.TURN);
        shares.moves(2L, false);
        assertThat(shares.yields(1L)).isFalse();
        assertThat(shares.yields(2L)).isTrue();
        assertThat(shares.waitsAgain(2L)).isTrue();
        assertThat(shares.next()).as("behind it, inside the engine").contains(2L);
    }

    /** Both places are taken by pulls that bring something all the time, and a third user's waits. */
    private void letATurnPass() {
        assertThat(shares.enters(ADA, 1L)).isTrue();
        assertThat(shares.enters(BOB, 2L)).isTrue();
        assertThat(shares.enters(EVE, 3L)).isFalse();
        moves(1L);
        moves(2L);
        assertThat(shares.yields(1L)).isFalse();
        pass(PullShares.TURN);
    }

    private void moves(long pull) {
        shares.moves(pull, false);
    }

    private void pass(Duration time) {
        now = now.plus(time);
        List.of(1L, 2L, 3L, 4L).forEach(this::moves);
    }

    @Test
    void aPullThatHasHadItsPlaceForLongGivesItUpOnce() {
        letATurnPass();
        assertThat(shares.yields(1L)).as("the first one's").isFalse();
        assertThat(shares.yields(2L)).isTrue();
        assertThat(shares.waitsAgain(2L)).isTrue();
        assertThat(shares.next()).contains(3L);
        pass(PullShares.TURN);
        assertThat(shares.yields(3L)).as("all had their turn").isFalse();
        assertThat(shares.enters(DAN, 4L)).isFalse();
        assertThat(shares.yields(3L)).isTrue();
        assertThat(shares.waitsAgain(3L)).isTrue();
        assertThat(shares.next()).as("it waits for longer").contains(2L);
        pass(PullShares.TURN);
        assertThat(shares.yields(2L)).isTrue();
        assertThat(shares.waitsAgain(2L)).isTrue();
        assertThat(shares.next()).contains(4L);
    }

    @Test
    void whoIsAloneKeepsBothPlaces() {
        assertThat(shares.enters(ADA, 1L)).isTrue();
        assertThat(shares.enters(ADA, 2L)).isTrue();
        assertThat(shares.enters(ADA, 3L)).isFalse();
        pass(PullShares.TURN);
        assertThat(shares.yields(1L)).isFalse();
        assertThat(shares.yields(2L)).isFalse();
    }

    @Test
    void allTurnsTogetherHaveABound() {
        letATurnPass();
        assertThat(shares.yields(2L)).isTrue();
        assertThat(shares.waitsAgain(2L)).isTrue();
        assertThat(shares.next()).contains(3L);
        now = now.plus(PullShares.LONGEST);
        assertThat(shares.isTooLong(2L)).as("it waits").isFalse();
        assertThat(shares.isTooLong(1L)).isTrue();
        shares.leave(1L);
        assertThat(shares.next()).contains(2L);
        now = now.plus(PullShares.LONGEST.minus(PullShares.TURN).minusSeconds(1));
        assertThat(shares.isTooLong(2L)).isFalse();
        now = now.plusSeconds(1);
        assertThat(shares.isTooLong(2L)).isTrue();
        assertThat(shares.enters(BOB, 2L)).as("the engine was away").isTrue();
        assertThat(shares.isTooLong(2L)).isFalse();
    }
}
