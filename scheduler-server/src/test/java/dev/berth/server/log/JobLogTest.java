package dev.berth.server.log;

import static dev.berth.server.log.LogFiles.piece;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One log on real files: growing, going on after a crash, coming to its limit. */
class JobLogTest {
    private static final Instant NOW = Instant.parse("2026-01-01T08:00:00.005Z");
    private static final long NO_LIMIT = 1 << 20;
    private static final String NOTICE =
            "\n[berth: this log has reached its limit of %d bytes; what the program writes from here on is not kept]\n";

    private record Piece(Stream stream, String text) {}

    /** What the program of these tests writes, in the order in which it arrives. */
    private static final List<Piece> PROGRAM = List.of(
            new Piece(Stream.OUT, "one\n"),
            new Piece(Stream.ERR, "oops\n"),
            new Piece(Stream.OUT, "tw"),
            new Piece(Stream.OUT, "o\n"),
            new Piece(Stream.ERR, "!"));

    private static final String OUT = "one\ntwo\n";
    private static final String ERR = "oops\n!";

    @TempDir
    private Path directory;

    private final Signal signal = new Signal();
    private LogFiles files;

    @BeforeEach
    void nameTheFiles() {
        files = new LogFiles(directory);
    }

    private JobLog open(long maxBytes) {
        return new JobLog(directory, maxBytes, InstantSource.fixed(NOW), signal);
    }

    private void run(long maxBytes) {
        try (JobLog log = open(maxBytes)) {
            PROGRAM.forEach(piece -> log.write(piece.stream(), piece(piece.text())));
        }
    }

    /** As the engine does it: in other pieces, and one stream after the other. */
    private void replay(long maxBytes) {
        try (JobLog log = open(maxBytes)) {
            log.expectReplay();
            for (int i = 0; i < ERR.length(); i++) {
                log.write(Stream.ERR, piece(ERR.substring(i, i + 1)));
            }
            log.write(Stream.OUT, piece(OUT.substring(0, 5)));
            log.write(Stream.OUT, piece(OUT.substring(5)));
        }
    }

    @Test
    void bothStreamsStandInTheOrderOfTheirArrival() {
        run(NO_LIMIT);
        assertThat(files.text()).isEqualTo("one\noops\ntwo\n!");
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT);
        assertThat(files.text(Stream.ERR)).isEqualTo(ERR);
    }

    @Test
    void aFrameTellsStreamTimeAndLength() throws IOException {
        run(NO_LIMIT);
        ByteBuffer frame = ByteBuffer.wrap(Files.readAllBytes(files.frames()), LogFiles.FRAME_BYTES, 13);
        assertThat(frame.get()).isEqualTo((byte) 1);
        assertThat(frame.getLong()).isEqualTo(NOW.toEpochMilli());
        assertThat(frame.getInt()).isEqualTo("oops\n".length());
    }

    @Test
    void anOpenedLogGoesOnAtItsEnd() {
        run(NO_LIMIT);
        try (JobLog log = open(NO_LIMIT)) {
            log.write(Stream.OUT, piece("more"));
        }
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT + "more");
        assertThat(files.text(Stream.ERR)).isEqualTo(ERR);
    }

    @Test
    void aReplayOfWhatIsHereAddsNothing() {
        run(NO_LIMIT);
        String before = files.text();
        replay(NO_LIMIT);
        assertThat(files.text()).isEqualTo(before);
    }

    @Test
    void aReplayIntoAnEmptyLogIsTheLog() {
        replay(NO_LIMIT);
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT);
        assertThat(files.text(Stream.ERR)).isEqualTo(ERR);
    }

    @Test
    void aReplayOfALongerLogAddsTheRest() {
        run(NO_LIMIT);
        try (JobLog log = open(NO_LIMIT)) {
            log.expectReplay();
            log.write(Stream.OUT, piece(OUT + "three\n"));
            log.write(Stream.ERR, piece(ERR + "?"));
        }
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT + "three\n");
        assertThat(files.text(Stream.ERR)).isEqualTo(ERR + "?");
    }

    /** A crash may leave either file any amount behind the other. */
    @Test
    void aReplayMakesALogWholeWhereverTheCrashCutEitherFile() throws IOException {
        run(NO_LIMIT);
        byte[] log = Files.readAllBytes(files.log());
        byte[] frames = Files.readAllBytes(files.frames());
        for (int logLength = 0; logLength <= log.length; logLength++) {
            for (int framesLength = 0; framesLength <= frames.length; framesLength++) {
                Files.write(files.log(), log);
                Files.write(files.frames(), frames);
                LogFiles.cut(files.log(), logLength);
                LogFiles.cut(files.frames(), framesLength);
                replay(NO_LIMIT);
                String where = "log cut at %d, frames at %d".formatted(logLength, framesLength);
                assertThat(files.text(Stream.OUT)).as(where).isEqualTo(OUT);
                assertThat(files.text(Stream.ERR)).as(where).isEqualTo(ERR);
            }
        }
    }

    /** A reader must not be shown bytes that a replay writes in another order. */
    @Test
    void whatNoFrameTellsOfIsGoneAsSoonAsTheLogIsOpened() throws IOException {
        run(NO_LIMIT);
        LogFiles.cut(files.frames(), 2 * LogFiles.FRAME_BYTES + 5);
        open(NO_LIMIT).close();
        assertThat(files.text()).isEqualTo("one\noops\n");
        assertThat(files.frames()).hasSize(2 * LogFiles.FRAME_BYTES);
    }

    /** A power cut may leave a file longer than what was written of it: zeros, or what the disk held there before. */
    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 2, 0x7f, -1})
    void aReplayMakesALogWholeBehindRubbish(byte rubbish) throws IOException {
        run(NO_LIMIT);
        byte[] tail = new byte[40];
        Arrays.fill(tail, rubbish);
        Files.write(files.frames(), tail, StandardOpenOption.APPEND);
        replay(NO_LIMIT);
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT);
        assertThat(files.text(Stream.ERR)).isEqualTo(ERR);
    }

    @Test
    void whatIsBeyondTheLimitIsDroppedAndTheLogSaysSo() {
        try (JobLog log = open(10)) {
            log.write(Stream.OUT, piece("12345"));
            log.write(Stream.ERR, piece("67890ab"));
            log.write(Stream.OUT, piece("cde"));
        }
        assertThat(files.text()).isEqualTo("1234567890" + NOTICE.formatted(10));
    }

    @Test
    void aProgramThatStopsAtTheLimitLosesNothingAndNothingIsSaid() {
        try (JobLog log = open(10)) {
            log.write(Stream.OUT, piece("1234567890"));
        }
        assertThat(files.text()).isEqualTo("1234567890");
    }

    @Test
    void aLogAtItsLimitStaysAsItIsAfterARestart() {
        run(10);
        String before = files.text();
        assertThat(before).isEqualTo("one\noops\nt" + NOTICE.formatted(10));
        replay(10);
        run(10);
        assertThat(files.text()).isEqualTo(before);
    }

    @Test
    void theNoticeOfTheLimitComesOnceWhereverTheCrashCutEitherFile() throws IOException {
        run(10);
        byte[] log = Files.readAllBytes(files.log());
        byte[] frames = Files.readAllBytes(files.frames());
        for (int logLength = 0; logLength <= log.length; logLength++) {
            for (int framesLength = 0; framesLength <= frames.length; framesLength++) {
                Files.write(files.log(), log);
                Files.write(files.frames(), frames);
                LogFiles.cut(files.log(), logLength);
                LogFiles.cut(files.frames(), framesLength);
                replay(10);
                assertThat(files.text())
                        .as("log cut at %d, frames at %d", logLength, framesLength)
                        .hasSize(10 + NOTICE.formatted(10).length())
                        .endsWith(NOTICE.formatted(10));
            }
        }
    }

    @Test
    void whatIsWrittenIsSignalled() {
        try (JobLog log = open(NO_LIMIT)) {
            long before = signal.count();
            log.write(Stream.OUT, piece("x"));
            assertThat(signal.count()).isGreaterThan(before);
        }
    }

    @Test
    void thePieceIsTheCallersAgain() {
        ByteBuffer piece = piece("hello");
        try (JobLog log = open(NO_LIMIT)) {
            log.write(Stream.OUT, piece);
            piece.clear().put("HELLO".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(files.text()).isEqualTo("hello");
    }
}
