package dev.berth.server.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pulls are called by their places. */
class PullSharesTest {
    private static final long ADA = 1000;
    private static final long BOB = 1001;

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
        shares.moves(2L);
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
}
