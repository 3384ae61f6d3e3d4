package dev.berth.cli.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Dates to come, in a zone whose clocks were set back in October and are set forward in March. */
class BeginTimeTest {
    private static final Instant NOW = Instant.parse("2026-11-30T10:00:00Z");
    private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource({
        "+2h, 2026-11-30T12:00:00Z",
        "+90, 2026-11-30T10:01:30Z",
        "+1d12h, 2026-12-01T22:00:00Z",
        "+00:30:00, 2026-11-30T10:30:00Z",
        "now+1h, 2026-11-30T11:00:00Z",
        "12:00, 2026-11-30T11:00:00Z",
        "8:00, 2026-12-01T07:00:00Z",
        "08:00, 2026-12-01T07:00:00Z",
        "11:00, 2026-12-01T10:00:00Z",
        "11:00:01, 2026-11-30T10:00:01Z",
        "today 18:30, 2026-11-30T17:30:00Z",
        "tomorrow 8:00, 2026-12-01T07:00:00Z",
        "tomorrow, 2026-11-30T23:00:00Z",
        "2026-12-01, 2026-11-30T23:00:00Z",
        "2026-12-01T08:00, 2026-12-01T07:00:00Z",
        "2026-12-01 8:00, 2026-12-01T07:00:00Z",
        "2026-12-01T08:00:30, 2026-12-01T07:00:30Z",
        "2026-12-01T08:00Z, 2026-12-01T08:00:00Z",
        "2026-12-01T08:00:00Z, 2026-12-01T08:00:00Z",
        "2026-12-01T08:00+05:30, 2026-12-01T02:30:00Z",
        "2026-12-01T8:00+01:00, 2026-12-01T07:00:00Z",
        "2027-07-01T08:00, 2027-07-01T06:00:00Z",
        "2027-10-31T02:30, 2027-10-31T00:30:00Z",
        "2028-02-29, 2028-02-28T23:00:00Z",
    })
    void isAMomentToCome(String text, String instant) {
        assertThat(BeginTime.instant("--begin", text, NOW, ZONE)).isEqualTo(instant);
    }

    @Test
    void aTimeOfDayThatIsMissingTodayIsTomorrows() {
        Instant day = Instant.parse("2027-03-28T08:00:00Z");
        assertThat(BeginTime.instant("--begin", "2:30", day, ZONE)).isEqualTo("2027-03-29T00:30:00Z");
    }

    @Test
    void aDayAndItsTimeAreOneWord() {
        assertThatThrownBy(() -> BeginTime.requireWhole("--begin", "tomorrow", "8:00"))
                .hasMessage(
                        "--begin: 'tomorrow' and '8:00' are two words; write --begin 'tomorrow 8:00', or put what is"
                                + " the program's behind --");
        BeginTime.requireWhole("--begin", "tomorrow", "train.py");
        BeginTime.requireWhole("--begin", "8:00", "9:00");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2027-02-30|is no time that there is",
                "2026-13-01|is no time that there is",
                "2027-02-29T08:00|is no time that there is",
                "2026-12-01T25:00|is no time that there is",
                "2026-12-01T08:60|is no time that there is",
                "25:00|is no time that there is",
                "8|is a duration; + stands before it",
                "2h|is a duration; + stands before it",
                "8am|is neither a date, a time of day",
                "12/01|is neither a date, a time of day",
                "2026-12-01T08:00 CET|is neither a date, a time of day",
                "2026-12-01T08:00+99:00|is neither a date, a time of day",
                "2027-03-28T02:30|is a time that there is not in Europe/Berlin",
                "2026-11-30T10:59|is over already",
                "2026-11-30|is over already",
                "2020-01-01T00:00Z|is over already",
                "today 8:00|is over already",
                "today|is neither a date, a time of day",
                "soon|is neither a date, a time of day",
                "''|is neither a date, a time of day",
                "2026-12-01_08:00|is neither a date, a time of day",
                "2026-12-01Tnoon|is neither a date, a time of day",
                "2046-12-01|is more than ten years away",
                "+|is not + and a duration",
                "+0s|is not + and a duration",
                "+2x|is not + and a duration",
                "+-2h|is not + and a duration",
                "now+|is not + and a duration",
                "+9999d|is not + and a duration",
            })
    void anythingElseIsRefusedWithTheFormsThereAre(String text, String rule) {
        assertThatThrownBy(() -> BeginTime.instant("--begin", text, NOW, ZONE))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith("--begin: '" + text + "' " + rule)
                .hasMessageEndingWith(
                        "; write it as 2026-12-01T08:00, 8:00, 'tomorrow 8:00', +2h, for example --begin +2h");
    }

    /** On 2026-10-25 at 3:00 clocks were set back to 2:00. */
    @ParameterizedTest
    @CsvSource({
        "2026-10-25T00:15:00Z, 2:30, 2026-10-25T00:30:00Z",
        "2026-10-25T00:45:00Z, 2:30, 2026-10-25T01:30:00Z",
        "2026-10-25T01:15:00Z, 2:30, 2026-10-25T01:30:00Z",
        "2026-10-25T01:45:00Z, 2:30, 2026-10-26T01:30:00Z",
        "2026-10-25T01:15:00Z, 2:10, 2026-10-26T01:10:00Z",
    })
    void aTimeThatComesTwiceIsTheNextOne(Instant now, String text, String begin) {
        assertThat(BeginTime.instant("--begin", text, now, ZONE)).isEqualTo(begin);
    }
}
