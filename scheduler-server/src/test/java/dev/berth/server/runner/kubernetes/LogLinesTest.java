package dev.berth.server.runner.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Output is taken once and whole, wherever the reading of it broke off. */
class LogLinesTest {
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    private LogPosition read(LogPosition from, String log) throws IOException {
        return read(from, log, Long.MAX_VALUE);
    }

    private LogPosition read(LogPosition from, String log, long most) throws IOException {
        LogLines lines = new LogLines(from, taken.size() - from.bytes(), () -> false, taken::writeBytes);
        lines.read(new ByteArrayInputStream(log.getBytes(UTF_8)), most);
        return lines.position();
    }

    @Test
    void linesComeWithoutTheirStamps() throws IOException {
        LogPosition end = read(
                LogPosition.BEGINNING,
                "2026-11-28T12:00:00.000000001Z one\n2026-11-28T12:00:00.000000002Z \n2026-11-28T12:00:01Z a b\n");
        assertThat(taken).hasToString("one\n\na b\n");
        assertThat(end.text()).isEqualTo("9 2026-11-28T12:00:01Z 1");
        assertThat(LogPosition.parse(end.text())).contains(end);
    }

    @Test
    void aLineOfTheSameStampIsNotTakenForOneThatIsKnown() throws IOException {
        String stamp = "2026-11-28T12:00:00.5Z ";
        LogPosition two = read(LogPosition.BEGINNING, stamp + "a\n" + stamp + "b\n");
        assertThat(two.lines()).isEqualTo(2);
        read(two, stamp + "a\n" + stamp + "b\n" + stamp + "c\n");
        assertThat(taken).hasToString("a\nb\nc\n");
    }

    @Test
    void linesOfTheSameSecondThatAreKnownAreLeftOut() throws IOException {
        String log = "2026-11-28T12:00:00.1Z a\n2026-11-28T12:00:00.2Z b\n";
        LogPosition end = read(LogPosition.BEGINNING, log);
        read(end, log + "2026-11-28T12:00:00.3Z c\n");
        assertThat(taken).hasToString("a\nb\nc\n");
    }

    @Test
    void aLineWithoutItsEndIsTakenAsFarAsItGoes() throws IOException {
        String begin = "2026-11-28T12:00:00.1Z a\n2026-11-28T12:00:00.2Z 10%";
        LogPosition end = read(LogPosition.BEGINNING, begin);
        assertThat(taken).hasToString("a\n10%");
        read(end, begin + " 20%\n2026-11-28T12:00:00.3Z c\n");
        assertThat(taken).hasToString("a\n10% 20%\nc\n");
    }

    @Test
    void outputThatItsNodeThrewAwayIsSaidToBeMissing() throws IOException {
        LogPosition end = read(LogPosition.BEGINNING, "2026-11-28T12:00:00.1Z a\n");
        LogPosition next = read(end, "2026-11-28T12:00:09Z z\n");
        assertThat(taken.toString(UTF_8))
                .startsWith("a\n[berth: output is missing here")
                .endsWith("]\nz\n");
        assertThat(next.bytes()).isEqualTo(taken.size());
        read(next, "2026-11-28T12:00:09Z z\n2026-11-28T12:00:09Z y\n");
        assertThat(taken.toString(UTF_8)).endsWith("]\nz\ny\n");
    }

    @Test
    void aTextWithoutAStampIsNotTakenForOutput() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> read(LogPosition.BEGINNING, "failed to get logs\n"));
        assertThat(taken.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whereverItBreaksOffNothingIsLostAndNothingDoubled(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        StringBuilder log = new StringBuilder();
        StringBuilder output = new StringBuilder();
        int nanos = 0;
        for (int i = 0; i < 2_000; i++) {
            nanos += random.nextInt(3) == 0 ? 0 : random.nextInt(2_000_000);
            String line = "line " + i + "x".repeat(random.nextInt(300)) + "\n";
            log.append("2026-11-28T12:00:%02d.%09dZ ".formatted(nanos / 1_000_000_000, nanos % 1_000_000_000))
                    .append(line);
            output.append(line);
        }
        LogPosition at = LogPosition.BEGINNING;
        while (taken.size() < output.length()) {
            // What is there so far, from the second of the position on, as the API server sends it; and some of it
            // again.
            int end = Math.min(log.length(), log.length() * random.nextInt(1, 11) / 10);
            String second = at.stamp() == null ? "" : at.stamp().toString().substring(0, 19);
            int begin = at.stamp() == null ? 0 : Math.max(0, log.indexOf(second));
            LogPosition next = read(at, log.substring(Math.min(begin, end), end), random.nextInt(1, 200_000));
            // A server that starts anew knows an older position.
            at = random.nextInt(4) == 0 ? at : next;
        }
        assertThat(taken).hasToString(output.toString());
    }
}
