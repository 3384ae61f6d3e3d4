package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class UserRateTest {
    private Instant now = Instant.EPOCH;
    private final UserRate rate = new UserRate(6, Duration.ofMinutes(1), () -> now);

    @Test
    void allMayBeHadAtOnceAndThenOneByOne() {
        for (int i = 0; i < 6; i++) {
            assertThat(rate.take(1)).isEmpty();
        }
        assertThat(rate.take(1)).contains(Duration.ofSeconds(10));
        assertThat(rate.take(2)).as("of another user").isEmpty();
        now = now.plusSeconds(7);
        assertThat(rate.take(1)).contains(Duration.ofSeconds(3));
        now = now.plusSeconds(3);
        assertThat(rate.take(1)).isEmpty();
        assertThat(rate.take(1)).contains(Duration.ofSeconds(10));
    }

    @Test
    void whoMayHaveAllAgainIsForgotten() {
        for (long uid = 0; uid < 100; uid++) {
            assertThat(rate.take(uid)).isEmpty();
        }
        assertThat(rate.size()).isEqualTo(100);
        now = now.plusSeconds(10);
        assertThat(rate.take(7)).isEmpty();
        assertThat(rate.size()).isEqualTo(1);
    }
}
