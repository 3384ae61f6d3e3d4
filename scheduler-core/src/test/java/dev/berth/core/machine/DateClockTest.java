package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DateClockTest {
    private static final Instant DAWN = Instant.parse("2026-01-01T00:00:00Z");

    private static Instant at(long seconds) {
        return DAWN.plusSeconds(seconds);
    }

    /** All in seconds; the steady clock says 100 now. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 90, 90",
        "0, 0, 101, 100",
        // Nobody knows whether such news are of before it was set, or of after.
        "7200, 7200, 90, 90",
        "7200, 7200, 7290, 100",
        "-7200, -7200, -7110, 90",
        // The date was set ahead; it began before that, then after it.
        "0, 7200, 90, 90",
        "0, 7200, 7290, 100",
        // It was set back; it began before that, then after it.
        "0, -7200, 90, 100",
        "0, -7200, -7110, 90"
    })
    void neverSaysThatSomethingBeganEarlierThanItDid(long before, long ahead, long date, long began) {
        DateClock clock = DateClock.NEVER_SET.then(Duration.ofSeconds(before)).then(Duration.ofSeconds(ahead));
        assertThat(clock.began(at(date), at(100 + ahead))).isEqualTo(at(began));
        assertThat(clock.date(clock.steady(at(5)))).isEqualTo(at(5));
    }
}
