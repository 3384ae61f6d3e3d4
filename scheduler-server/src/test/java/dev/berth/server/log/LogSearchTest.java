package dev.berth.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.LogFrame;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.LogSearch.Bounds;
import dev.berth.server.log.LogSearch.Found;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A text that is looked for in a whole log, part by part. */
class LogSearchTest {
    @TempDir
    private Path directory;

    private final LogProgress growth = new LogProgress();

    private JobLog open(LogBounds bounds) {
        Instant now = Instant.parse("2026-01-01T08:00:00Z");
        return new JobLog(new Attempt(new JobId(7), 1), directory, bounds, Clocks.neverSet(() -> now), growth);
    }

    private static LogBounds roomy() {
        return new LogBounds(1 << 23, 1 << 20, 1 << 20);
    }

    private void write(JobLog log, Stream stream, String text) {
        log.write(stream, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Writes pieces, {@code o:} or {@code e:} before each; N is a line's end, R a return, E an escape. */
    private void write(String pieces) {
        try (JobLog log = open(roomy())) {
            for (String piece : pieces.split(" ")) {
                String text = piece.substring(2).replace('N', '\n').replace('R', '\r');
                write(log, piece.startsWith("o:") ? Stream.OUT : Stream.ERR, text.replace('E', '\u001b'));
            }
        }
    }

    private LogSearch search(LogReader reader, String text, int limit, Bounds bounds) {
        return new LogSearch(reader, _ -> true, new SoughtText(text, false), limit, bounds);
    }

    private List<Found> all(String text, boolean ignoresCase) throws IOException {
        try (LogReader reader = new LogReader(directory, growth::end)) {
            reader.seek(0);
            return new LogSearch(reader, _ -> true, new SoughtText(text, ignoresCase), 1_000).find();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "o:oneNtwoNthreeN,            t,    4 8",
        "o:oneNtwoNthree,             e,    0 8",
        "o:oNoneN,                    one,  2",
        "o:on o:eN,                   one,  0",
        "o:on e:errN o:eN,            one,  0",
        "o:on e:eN o:N,               one,  ''",
        "o:oNne,                      one,  ''",
        "o:ononeN,                    one,  0",
        "o:aabaabaaabN,               aabaaab, 0",
        "o:oneRtwoN,                  one,  ''",
        "o:oneRtwoN,                  two,  0",
        "o:oneRRNxN,                  one,  0",
        "o:oneR o:NxN,                one,  0",
        "o:E[31moE[0mnE[1;2meN,       one,  0",
        "o:E[31mneN,                  31m,  ''",
        "o:E]0;oneE\\xN o:oneN,       one,  11",
        "o:E]0;one,                   one,  ''",
        "o:E]0;tN o:oneN,             one,  6",
        "o:oneE,                      one,  0",
        "o:OneN,                      one,  ''",
    })
    void aTextIsFoundInTheLinesOfAStream(String written, String text, String offsets) throws IOException {
        write(written);
        List<String> found = all(text, false).stream()
                .map(line -> Long.toString(line.offset()))
                .toList();
        assertThat(String.join(" ", found)).isEqualTo(offsets);
    }

    @Test
    void caseIsThatOfAsciiLetters() throws IOException {
        write("o:ONE\u00c4N o:one\u00e4N");
        // E is written as an escape.
        assertThat(all("o", true)).hasSize(2);
        assertThat(all("\u00e4", true)).hasSize(1);
        assertThat(all("N", true)).hasSize(1);
    }

    @Test
    void ofALongLineWhatIsAroundThePlaceIsAnswered() throws IOException {
        try (JobLog log = open(roomy())) {
            write(log, Stream.OUT, "short\n" + "\u00e4".repeat(600_000));
            write(log, Stream.OUT, "needle" + "b".repeat(600_000) + "\n");
        }
        assertThat(all("needle", false)).singleElement().satisfies(line -> {
            assertThat(line.offset()).isEqualTo(6);
            assertThat(line.stream()).isEqualTo(LogFrame.STDOUT);
            assertThat(line.text()).matches("\u00e4{100,200}needleb{200,300}");
        });
    }

    @Test
    void whatIsNoTextIsHarmless() throws IOException {
        try (JobLog log = open(roomy())) {
            log.write(Stream.ERR, ByteBuffer.wrap(new byte[] {(byte) 0xff, 0, 'a', (byte) 0xc3, '\n', 'a', '\n'}));
        }
        assertThat(all("a", false)).extracting(Found::text).containsExactly("\ufffd\0a\ufffd", "a");
        assertThat(all("a", false)).extracting(Found::offset).containsExactly(0L, 5L);
    }

    @ParameterizedTest
    @CsvSource({"1, 1000000", "3, 1000000", "1000, 1", "1000, 700", "7, 50"})
    void partsFindEachLineOnce(int limit, long bytes) throws IOException {
        List<Long> expected = new ArrayList<>();
        try (JobLog log = open(new LogBounds(1 << 12, 1 << 20, 1 << 20))) {
            long offset = 0;
            for (int number = 0; number < 300; number++) {
                String line = "line " + number + (number % 3 == 0 ? " needle\n" : "\n");
                if (number % 3 == 0) {
                    expected.add(offset);
                }
                write(log, Stream.OUT, line);
                offset += line.length();
            }
        }
        List<Long> found = new ArrayList<>();
        boolean isAtEnd = false;
        try (LogReader reader = new LogReader(directory, growth::end)) {
            for (long at = 0; !isAtEnd; ) {
                reader.seek(at);
                LogSearch search = search(reader, "needle", limit, new Bounds(bytes, bytes + 100, 1 << 20));
                List<Found> part = search.find();
                assertThat(part).hasSizeLessThanOrEqualTo(limit);
                part.forEach(line -> found.add(line.offset()));
                isAtEnd = search.isAtEnd();
                assertThat(search.end() - at).isLessThanOrEqualTo(bytes + 100);
                at = search.end();
            }
        }
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void ALineThatNeverEndsEndsThePartAllTheSame() throws IOException {
        try (JobLog log = open(roomy())) {
            for (int piece = 0; piece < 100; piece++) {
                write(log, Stream.OUT, "x".repeat(1_000));
            }
        }
        try (LogReader reader = new LogReader(directory, growth::end)) {
            reader.seek(0);
            LogSearch search = search(reader, "xx", 9, new Bounds(10_000, 20_000, 1 << 20));
            assertThat(search.find()).hasSize(1);
            assertThat(search.isAtEnd()).isFalse();
            assertThat(search.end()).isBetween(20_000L, 20_000L + (1 << 16));
            reader.seek(0);
            LogSearch few = search(reader, "y", 9, new Bounds(1 << 20, 1 << 20, 0));
            assertThat(few.find()).isEmpty();
            assertThat(few.isAtEnd()).isFalse();
        }
    }
}
