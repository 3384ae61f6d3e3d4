package dev.berth.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.core.api.TrackingView.ProgressView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTextTest {
    private static final String TIME = "2026-03-01T09:59:00Z";

    @ParameterizedTest
    @CsvSource({
        "0.4, 1, , , 40 %",
        "4, 10, epoch, 2026-03-01T14:20:59Z, '40 % (4/10 epoch), ends about 14:20 UTC'",
        "4, 10, , 2026-03-02T14:20:59Z, '40 % (4/10), ends about 2026-03-02 14:20 UTC'",
        "999, 1000, step, , 99 % (999/1000 step)",
        "3, 2, , , 150 % (3/2)",
        "1e300, 1e-300, , , 9223372036854775807 % (1e300/1e-300)",
        "0, 1e300, , , 0 % (0/1e300)"
    })
    void ofAProgram(double value, double of, @Nullable String unit, @Nullable String end, String text) {
        assertThat(ProgressText.of(new ProgressView(value, of, unit, TIME, end), Samples.NOW))
                .isEqualTo(text);
    }

    @Test
    void anExpectedStartIsSaidBesideTheLatest() {
        String expected = "2026-03-01T14:20:59Z";
        String latest = "2026-03-02T15:04:00Z";
        assertThat(ProgressText.start(expected, latest, Samples.NOW))
                .isEqualTo("about 14:20 UTC, by 2026-03-02 15:04:00 UTC at the latest");
        assertThat(ProgressText.start(expected, null, Samples.NOW)).isEqualTo("about 14:20 UTC");
        assertThat(ProgressText.start(null, latest, Samples.NOW)).isEqualTo("by 2026-03-02 15:04:00 UTC at the latest");
        assertThat(ProgressText.start(null, null, Samples.NOW)).isEmpty();
    }
}
