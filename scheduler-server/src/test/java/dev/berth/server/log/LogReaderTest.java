package dev.berth.server.log;

import static dev.berth.server.log.LogFiles.piece;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.api.LogFrame;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a log, by offset, by lines from its end, by time; and readers that are slower than the writer. */
class LogReaderTest {
    private static final Instant START = Instant.parse("2026-01-01T08:00:00Z");

    @TempDir
    private Path directory;

    private final LogProgress growth = new LogProgress();
    private Instant now = START;

    private JobLog open(LogBounds bounds) {
        return new JobLog(new Attempt(new JobId(7), 1), directory, bounds, Clocks.neverSet(() -> now), growth);
    }

    private LogReader reader() {
        return new LogReader(directory, growth::end);
    }

    /** Writes {@code o:text} and {@code e:text}, a second apart; {@code N} is a line's end, {@code R} a return. */
    private void write(LogBounds bounds, String pieces) {
        try (JobLog log = open(bounds)) {
            for (String written : pieces.isEmpty() ? new String[0] : pieces.split(" ")) {
                Stream stream = written.startsWith("o:") ? Stream.OUT : Stream.ERR;
                log.write(stream, piece(written.substring(2).replace('N', '\n').replace('R', '\r')));
                now = now.plusSeconds(1);
            }
        }
    }

    private static LogBounds bounds(int segmentBytes) {
        return new LogBounds(segmentBytes, 1 << 10, 1 << 10);
    }

    private String textFrom(long offset) throws IOException {
        try (LogReader reader = reader()) {
            reader.seek(offset);
            return LogFiles.rest(reader).replace('\n', 'N').replace('\r', 'R');
        }
    }

    private String textFrom(long offset, int streams) throws IOException {
        StringBuilder text = new StringBuilder();
        try (LogReader reader = reader()) {
            reader.seek(offset);
            ByteBuffer room = ByteBuffer.allocate(5);
            for (Optional<LogFrame> piece = reader.piece(room); piece.isPresent(); piece = reader.piece(room.clear())) {
                if ((streams & (1 << piece.get().stream())) != 0) {
                    text.append(new String(room.array(), 0, piece.get().length(), StandardCharsets.ISO_8859_1));
                }
            }
        }
        return text.toString().replace('\n', 'N').replace('\r', 'R');
    }

    @ParameterizedTest
    @CsvSource({
        "'',                       3, 3,   ''",
        "o:aN,                     0, 3,   ''",
        "o:aN,                     1, 3,   aN",
        "o:aN,                     2, 3,   aN",
        "o:aNbNc,                  1, 3,   c",
        "o:aNbNc,                  2, 3,   bNc",
        "o:aNbNc,                  3, 3,   aNbNc",
        "o:aNbNcN,                 2, 3,   bNcN",
        "o:aRNbRN,                 1, 3,   bRN",
        "o:NNN,                    2, 3,   NN",
        "o:no-newline,             5, 3,   no-newline",
        "o:1N e:2N o:3N e:4N,      2, 3,   3N4N",
        "o:1N e:2N o:3N e:4N,      2, 1,   1N3N",
        "o:1N e:2N o:3N e:4N,      1, 2,   4N",
        "o:1N e:2N o:3N,           1, 2,   2N",
        "e:2N o:3N o:4N,           1, 2,   2N",
        "o:12 e:oopsN o:3N o:4,    2, 1,   123N4",
        "o:12 e:oopsN o:3N o:4,    1, 2,   oopsN",
        "o:ü e:xN o:üN,            1, 3,   üN",
    })
    void theLastLinesBeginWhereTheyBegin(String pieces, int lines, int streams, String expected) throws IOException {
        for (int segmentBytes : new int[] {1, 2, 3, 100}) {
            Path place = directory.resolve("s" + segmentBytes);
            assertThat(place.toFile().mkdir()).isTrue();
            LogReaderTest other = new LogReaderTest();
            other.directory = place;
            other.write(bounds(segmentBytes), pieces);
            try (LogReader reader = other.reader()) {
                long begin = new LogTail(reader, stream -> (streams & (1 << stream)) != 0).begin(lines);
                String latin = new String(expected.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
                assertThat(other.textFrom(begin, streams))
                        .as("segments of " + segmentBytes)
                        .isEqualTo(latin);
            }
        }
    }

    @Test
    void theLastLinesOfALongLogAreFoundAcrossBlocks() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 30_000; line++) {
            text.append("line ")
                    .append(line)
                    .append(line % 1_000 == 0 ? "x".repeat(70_000) : "")
                    .append('\n');
        }
        try (JobLog log = open(bounds(1 << 18))) {
            log.write(Stream.OUT, piece(text.toString()));
        }
        String[] all = text.toString().split("(?<=\n)");
        for (int lines : new int[] {1, 2, 999, 1_001, 15_000, 29_999, 30_000, 40_000}) {
            try (LogReader reader = reader()) {
                int from = Math.max(0, all.length - lines);
                String expected = String.join("", List.of(all).subList(from, all.length));
                assertThat(new LogTail(reader, _ -> true).begin(lines))
                        .as("the last " + lines)
                        .isEqualTo(text.length() - expected.length());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 100})
    void sinceIsFoundByTheTimesOfArrival(int segmentBytes) throws IOException {
        write(bounds(segmentBytes), "o:aN e:bN o:cN e:dN");
        try (LogReader reader = reader()) {
            assertThat(reader.since(START.toEpochMilli() - 1)).isZero();
            assertThat(reader.since(START.toEpochMilli())).isZero();
            assertThat(reader.since(START.toEpochMilli() + 1)).isEqualTo(2);
            assertThat(reader.since(START.toEpochMilli() + 1_000)).isEqualTo(2);
            assertThat(reader.since(START.toEpochMilli() + 2_500)).isEqualTo(6);
            assertThat(reader.since(START.toEpochMilli() + 3_001)).isEqualTo(8);
            assertThat(reader.since(Long.MAX_VALUE)).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 100})
    void sinceIsTheFirstThatCameThenOrLaterAlsoWhereTheDateWasSetBack(int segmentBytes) throws IOException {
        write(bounds(segmentBytes), "o:aN o:bN");
        now = START.minusSeconds(3);
        write(bounds(segmentBytes), "o:cN o:dN o:eN o:fN o:gN o:hN");
        try (LogReader reader = reader()) {
            assertThat(reader.since(START.minusSeconds(4).toEpochMilli())).isZero();
            assertThat(reader.since(START.toEpochMilli())).isZero();
            assertThat(reader.since(START.plusSeconds(1).toEpochMilli())).isEqualTo(2);
            assertThat(reader.since(START.plusSeconds(2).toEpochMilli())).isEqualTo(14);
            assertThat(reader.since(START.plusSeconds(3).toEpochMilli())).isEqualTo(16);
        }
    }

    @Test
    void aLogThatIsNotThereIsEmpty() throws IOException {
        try (LogReader reader = new LogReader(directory.resolve("nowhere"), () -> -1)) {
            assertThat(reader.since(0)).isZero();
            assertThat(reader.start()).isZero();
            assertThat(new LogTail(reader, _ -> true).begin(10)).isZero();
            assertThat(reader.piece(ByteBuffer.allocate(8))).isEmpty();
        }
    }

    @Test
    void anOffsetThatWasDroppedReadsFromTheFirstByteKept() throws IOException {
        write(new LogBounds(4, 8, 3), "o:0123456789abcdefghij");
        try (LogReader reader = reader()) {
            assertThat(reader.start()).isEqualTo(8);
            reader.seek(3);
            assertThat(reader.position()).isEqualTo(8);
            assertThat(reader.end()).isEqualTo(20);
        }
        assertThat(textFrom(0)).isEqualTo("89abcdefghij");
        assertThat(textFrom(13)).isEqualTo("defghij");
        assertThat(textFrom(20)).isEmpty();
    }

    @Test
    void aReaderFollowsOverManySegmentsWhileTheyGrow() throws IOException {
        StringBuilder read = new StringBuilder();
        try (JobLog log = open(new LogBounds(4, 8, 2));
                LogReader reader = reader()) {
            for (int at = 0; at < 200; at++) {
                log.write(at % 3 == 0 ? Stream.ERR : Stream.OUT, piece("" + at % 10));
                if (at % 3 == 1) {
                    read.append(LogFiles.rest(reader));
                }
            }
            read.append(LogFiles.rest(reader));
        }
        assertThat(read).hasSize(200).startsWith("0123456789012").endsWith("6789");
    }

    @Test
    void aFrameThatGrowsIsReadOn() throws IOException {
        ByteBuffer room = ByteBuffer.allocate(100);
        try (JobLog log = open(bounds(100));
                LogReader reader = reader()) {
            log.write(Stream.OUT, piece("a"));
            assertThat(reader.piece(room)).contains(new LogFrame(0, START.toEpochMilli(), 0, 1));
            assertThat(reader.piece(room)).isEmpty();
            log.write(Stream.OUT, piece("bc"));
            assertThat(reader.piece(room)).contains(new LogFrame(1, START.toEpochMilli(), 0, 2));
            log.write(Stream.ERR, piece("d"));
            assertThat(reader.piece(room)).contains(new LogFrame(3, START.toEpochMilli(), 1, 1));
        }
    }

    /** The writer waits for nobody: what the reader has open it reads to its end, and then it is told. */
    @Test
    void aReaderThatIsOvertakenIsToldAndMaySeekAgain() throws IOException {
        try (JobLog log = open(new LogBounds(4, 8, 2));
                LogReader reader = reader()) {
            log.write(Stream.OUT, piece("0123"));
            assertThat(reader.read(ByteBuffer.allocate(2))).isEqualTo(2);
            log.write(Stream.OUT, piece("456789abcdefghij"));
            assertThat(reader.read(ByteBuffer.allocate(9))).isEqualTo(2);
            assertThatExceptionOfType(OvertakenException.class).isThrownBy(() -> reader.read(ByteBuffer.allocate(9)));
            reader.seek(4);
            assertThat(LogFiles.rest(reader)).isEqualTo("cdefghij");
        }
    }
}
