package dev.berth.server.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Europe/Berlin    | 2026-12-01T07:00:00Z     | 2026-12-01 08:00:00 +01:00 (Europe/Berlin)",
                "Europe/Berlin    | 2026-07-01T06:00:00Z     | 2026-07-01 08:00:00 +02:00 (Europe/Berlin)",
                "America/New_York | 2026-12-01T03:30:00.987Z | 2026-11-30 22:30:00 -05:00 (America/New_York)",
                "Asia/Kathmandu   | 2026-12-01T00:00:00Z     | 2026-12-01 05:45:00 +05:45 (Asia/Kathmandu)",
                "Etc/UTC          | 2026-12-01T00:00:00Z     | 2026-12-01 00:00:00 +00:00 (Etc/UTC)",
            })
    void aDateIsSaidInItsZone(String zone, Instant date, String said) {
        assertThat(Dates.inWords(date, ZoneId.of(zone))).isEqualTo(said);
    }
}
