package dev.berth.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.output.text.Amounts;
import dev.berth.cli.output.text.Table;
import dev.berth.cli.output.text.Times;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Colours, directions and widths in tables. */
class ColourTest {
    private static Table table(String state) {
        return new Table("NAME", "NOW", "WHY").painted(1).row("a", state, "b");
    }

    @ParameterizedTest
    @CsvSource({
        "RUNNING, 2",
        "COMPLETED, 2",
        "QUEUED, 3",
        "HELD, 4",
        "CANCELLED, 5",
        "STARTING, 6",
        "STOPPING, 6",
        "FAILED, 1",
        "TIMEOUT, 1",
        "OUT_OF_MEMORY, 1",
        "LOST, 1"
    })
    void everyStateHasItsColour(String state, char colour) {
        assertThat(table(state).lines(80, true).getLast())
                .isEqualTo("a      \u001b[3" + colour + "m" + state + "\u001b[0m   b");
        assertThat(table(state).lines(80, false).getLast()).isEqualTo("a      " + state + "   b");
    }

    @Test
    void aStateNobodyKnowsAndTheHeadingHaveNone() {
        assertThat(table("NEW").lines(80, true)).containsExactly("NAME   NOW   WHY", "a      NEW   b");
    }

    @Test
    void aColourTakesNoRoom() {
        Table table = table("OUT_OF_MEMORY").row("long name", "QUEUED", "c");
        assertThat(table.lines(0, true).getLast()).isEqualTo("long name   \u001b[33mQUEUED\u001b[0m          c");
        assertThat(table.lines(26, true).get(1)).isEqualTo("a           \u001b[31mOUT_OF_…\u001b[0m   b");
    }

    @Test
    void whatIsWrittenFromRightToLeftIsKeptApartOnATerminal() {
        Table table = new Table("NAME", "WHY").row("שלום 1", "2").row("المهمة", "3");
        assertThat(table.lines(80).subList(1, 3)).containsExactly("\u2068שלום 1\u2069   2", "\u2068المهمة\u2069   3");
        assertThat(table.lines(0).get(1)).isEqualTo("שלום 1   2");
    }

    @Test
    void wideCharactersTakeTwoColumns() {
        Table table = new Table("NAME", "WHY").row("训练", "a").row("🚀x", "b").row("éé", "c");
        assertThat(table.lines(80)).containsExactly("NAME   WHY", "训练   a", "🚀x    b", "éé     c");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1 KiB",
        "1536, 1.5 KiB",
        "17179869184, 16 GiB",
        "1649267441664, 1.5 TiB"
    })
    void amountsAreInTheLargestUnit(long bytes, String words) {
        assertThat(Amounts.bytes(bytes)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({"1000, 1", "1500, 1.5", "50, 0.05", "16125, 16.125"})
    void thousandthsAreDecimal(int milli, String words) {
        assertThat(Amounts.thousandths(milli)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-01T15:04:05Z, 2026-03-01T09:00:00Z, 15:04 UTC",
        "2026-03-02T15:04:05Z, 2026-03-01T09:00:00Z, 2026-03-02 15:04 UTC",
        "soon, 2026-03-01T09:00:00Z, soon"
    })
    void aTimeOnTheSameDayHasNoDate(String time, String other, String words) {
        assertThat(Times.clock(time, other)).isEqualTo(words);
    }

    @Test
    void aStartInTheSameMinuteIsNotWorthALine() {
        assertThat(Times.isSameMinute("2026-03-01T15:04:05Z", "2026-03-01T15:04:59.5Z"))
                .isTrue();
        assertThat(Times.isSameMinute("2026-03-01T15:05:00Z", "2026-03-01T15:04:59Z"))
                .isFalse();
        assertThat(Times.isSameMinute("soon", "soon")).isFalse();
    }
}
