package dev.berth.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The small pieces that texts are made of. */
class TextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "-5, 0s",
        "59, 59s",
        "60, 1m",
        "125, 2m 5s",
        "3600, 1h",
        "5400, 1h 30m",
        "3601, 1h",
        "86400, 1d",
        "100800, 1d 4h",
        "86460, 1d"
    })
    void durationsHaveTwoUnitsAtMost(long seconds, String words) {
        assertThat(Times.inWords(Duration.ofSeconds(seconds))).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-01T09:30:00Z",
        "2024-02-29T23:59:59.999999999Z",
        "1970-01-01T00:00:00Z",
        "2026-12-31T00:00:00.5Z",
        "+12026-03-01T09:30:00Z"
    })
    void timesAreReadAsTheJdkReadsThem(String time) {
        assertThat(Times.instant(time).getEpochSecond())
                .isEqualTo(Instant.parse(time).getEpochSecond());
    }

    @Test
    void timesAreShownInUtc() {
        assertThat(Times.utc("2026-03-01T09:30:00.123Z")).isEqualTo("2026-03-01 09:30:00 UTC");
        assertThat(Times.between("2026-03-01T09:30:00Z", Instant.parse("2026-03-01T10:00:01Z")))
                .isEqualTo("30m 1s");
    }

    @ParameterizedTest
    @CsvSource({"0, -", "512, 512 MiB", "1024, 1 GiB", "81920, 80 GiB", "81559, 79.6 GiB", "24564, 24 GiB"})
    void memoryIsRoundedToATenth(long mebibytes, String words) {
        assertThat(ServerText.memory(mebibytes)).isEqualTo(words);
    }

    @Test
    void widthCountsColumnsAndNotCharacters() {
        assertThat(PlainText.width("abc")).isEqualTo(3);
        assertThat(PlainText.width("漢字")).isEqualTo(4);
        assertThat(PlainText.width("e\u0301")).isEqualTo(1);
        assertThat(PlainText.width("🚀")).isEqualTo(2);
    }

    @Test
    void textIsCutWithAnEllipsis() {
        assertThat(PlainText.cut("abcdef", 6)).isEqualTo("abcdef");
        assertThat(PlainText.cut("abcdef", 5)).isEqualTo("abcd…");
        assertThat(PlainText.cut("漢字漢字", 6)).isEqualTo("漢字…");
        assertThat(PlainText.cut("🚀🚀🚀", 5)).isEqualTo("🚀🚀…");
    }

    @Test
    void theWidestColumnGivesWay() {
        Table table = new Table("ID", "NAME", "WHY").row("1", "short", "a sentence that is rather long");
        assertThat(table.lines(30)).containsExactly("ID   NAME    WHY", "1    short   a sentence that …");
        assertThat(table.lines(0)).containsExactly("ID   NAME    WHY", "1    short   a sentence that is rather long");
        assertThat(table.lines(3).getFirst()).isEqualTo("ID   NAME    WHY");
    }

    @Test
    void wordsAreQuotedForAShell() {
        assertThat(ShellWords.join(List.of("a", "b c", "", "it's", "--x=1", "~", "ü", "$HOME")))
                .isEqualTo("a 'b c' '' 'it'\\''s' --x=1 '~' ü '$HOME'");
    }
}
