package dev.berth.server.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClocksTest {
    private static final Instant PASSED = Instant.parse("2026-01-01T00:00:00Z");

    private static Clocks setBy(long seconds) {
        return new Clocks(() -> PASSED.plusSeconds(seconds), () -> PASSED);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7_200, -7_200})
    void tellHowFarTheDateWasSet(long seconds) {
        Clocks clocks = setBy(seconds);
        assertThat(clocks.ahead(clocks.instant())).isEqualTo(Duration.ofSeconds(seconds));
        assertThat(clocks.steadyAt(clocks.instant().minusSeconds(5))).isEqualTo(PASSED.minusSeconds(5));
        assertThat(clocks.steadyAt(clocks.instant().plusSeconds(5))).isEqualTo(PASSED);
    }

    @Test
    void aDateThatWasSetAheadMakesNothingOld() {
        assertThat(setBy(7_200).cautious()).isEqualTo(PASSED);
        assertThat(setBy(-7_200).cautious()).isEqualTo(PASSED.minusSeconds(7_200));
    }

    @Test
    void theSteadyClockGoesOnForTheNextServer() {
        SteadyClock first = SteadyClock.showing(PASSED, System::nanoTime);
        Instant now = first.instant();
        assertThat(Duration.between(PASSED, now)).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        assertThat(new SteadyClock(first.zero(), System::nanoTime).instant()).isAfterOrEqualTo(now);
    }
}
