package dev.berth.cli.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeLimitTest {
    @ParameterizedTest
    @CsvSource({
        "30s, 30",
        "45m, 2700",
        "2h, 7200",
        "1d12h, 129600",
        "1d1h1m1s, 90061",
        "90, 90",
        "01:30:00, 5400",
        "100:00:01, 360001",
        "1h90m, 9000",
        "999999999, 999999999"
    })
    void whatItMeans(String text, long seconds) {
        assertThat(TimeLimit.seconds("--time", text)).isEqualTo(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9999999999", "99999999999h", "1d99999999999s"})
    void whatIsTooLongIsToldSo(String text) {
        assertThatThrownBy(() -> TimeLimit.seconds("--time", text))
                .isInstanceOf(Failure.class)
                .hasMessage("--time: '" + text + "' is longer than ten years, the most that there is");
    }

    @ParameterizedTest
    @CsvSource({"1-12, 1d12h", "1-12:30, 1d12h30m", "1-0:30:10, 1d0h30m10s"})
    void aFormOfSlurmsIsAnsweredWithBerths(String text, String own) {
        assertThatThrownBy(() -> TimeLimit.seconds("--time", text))
                .isInstanceOf(Failure.class)
                .hasMessage("--time: '" + text + "' is a form of Slurm's; in Berth that is --time " + own);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0s",
                "00:00:00",
                "-5",
                "5x",
                "h",
                "5 m",
                "1m2h",
                "1h1h",
                "05:30",
                "1:60:00",
                "1:00:60",
                "1:2:3:4",
                "1.5h",
                "1h30",
                "٣s"
            })
    void whatIsRefused(String text) {
        assertThatThrownBy(() -> TimeLimit.seconds("--time", text))
                .isInstanceOf(Failure.class)
                .hasMessage("--time: '" + text + "' is not a duration above zero; write it as 30s, 45m, 2h, 1d12h,"
                        + " HH:MM:SS, or plain seconds, for example --time 2h");
    }
}
