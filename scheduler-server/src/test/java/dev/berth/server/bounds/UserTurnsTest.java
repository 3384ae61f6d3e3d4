package dev.berth.server.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.bounds.UserTurns.Turn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class UserTurnsTest {
    private static final long ADA = 1000;
    private static final long BOB = 1001;

    private final UserTurns turns = new UserTurns(2);

    @Test
    void oneTooManyWaitsForTheUsersOwnAndForNobodyElses() throws InterruptedException {
        Turn first = turns.take(ADA);
        try (Turn _ = turns.take(ADA)) {
            assertThat(turns.take(ADA, Duration.ZERO)).isEmpty();
            try (Turn bob = turns.take(BOB)) {
                assertThat(bob).isNotNull();
            }
            assertThat(turns.take(ADA, Duration.ZERO)).isEmpty();
            CompletableFuture<Turn> waits = CompletableFuture.supplyAsync(() -> taken(ADA));
            first.close();
            waits.join().close();
            turns.take(ADA, Duration.ZERO).orElseThrow().close();
        }
    }

    private Turn taken(long uid) {
        try {
            return turns.take(uid);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
