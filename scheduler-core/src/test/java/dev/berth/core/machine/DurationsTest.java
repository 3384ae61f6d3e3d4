package dev.berth.core.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.999S, 0s",
        "PT-5S, 0s",
        "PT1S, 1s",
        "PT59.9S, 59s",
        "PT1M, 1m",
        "PT2M5S, 2m 5s",
        "PT59M59S, 59m 59s",
        "PT1H, 1h",
        "PT3H, 3h",
        "PT1H0M1S, 1h",
        "PT1H1M1S, 1h 1m",
        "PT23H59M59S, 23h 59m",
        "P1D, 1d",
        "P1DT4H, 1d 4h",
        "P1DT0H5M, 1d",
        "P3650D, 3650d",
    })
    void aDurationIsSaidInAtMostTwoUnits(Duration duration, String words) {
        assertThat(Durations.inWords(duration)).isEqualTo(words);
    }
}
