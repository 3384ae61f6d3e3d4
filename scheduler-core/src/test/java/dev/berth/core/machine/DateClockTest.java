package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
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
        "7200, 7200, 7290, 90",
        "-7200, -7200, -7110, 90",
        // The date was set ahead; it began before that, then after it.
        "0, 7200, 90, 90",
        "0, 7200, 7290, 90",
        // It was set back; it began before that, then after it.
        "0, -7200, 90, 90",
        "0, -7200, -7110, 90"
    })
    void neverSaysThatSomethingBeganEarlierThanItDid(long before, long ahead, long date, long began) {
        DateClock clock = DateClock.NEVER_SET.then(Duration.ofSeconds(before)).then(Duration.ofSeconds(ahead));
        assertThat(clock.began(at(date), null, at(100 + ahead))).isEqualTo(at(began));
        assertThat(clock.date(clock.steady(at(5)))).isEqualTo(at(5));
    }

    @Test
    void nothingBeganBeforeItWasAskedFor() {
        DateClock clock = DateClock.NEVER_SET.then(Duration.ofMinutes(10));
        // Twice it was set since somebody looked: the date of the start is of neither clock.
        assertThat(clock.began(at(-500), at(95), at(700))).isEqualTo(at(95));
        assertThat(clock.began(at(698), at(95), at(700))).isEqualTo(at(98));
        assertThat(clock.began(at(698), at(101), at(700))).isEqualTo(at(100));
    }

    /** All in seconds; the steady clock says 100 now, and it began when that said 40. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 90, 50",
        "7200, 7200, 7290, 50",
        // The date was set ahead, then back, while it went on.
        "0, 7200, 7300, 60",
        "0, -7200, -7110, 50",
        // Before it was set, it had ended.
        "0, 7200, 90, 50",
        "0, -7200, 90, 50",
        // What an engine says of its own clock is not believed against this one.
        "0, 0, 101, 60",
        "0, 0, 39, 0"
    })
    void timeThatPassedIsCountedWhateverTheDatesSay(long before, long ahead, long end, long lasted) {
        DateClock clock = DateClock.NEVER_SET.then(Duration.ofSeconds(before)).then(Duration.ofSeconds(ahead));
        assertThat(clock.lasted(at(40), at(end), at(100 + ahead))).isEqualTo(Duration.ofSeconds(lasted));
    }
}
