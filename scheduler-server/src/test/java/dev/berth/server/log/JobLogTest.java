package dev.berth.server.log;

import static dev.berth.server.log.LogFiles.piece;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.LogFrame;
import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import dev.berth.server.time.SteadyClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One log on real files: growing, going on after a crash, letting its oldest segments go. */
class JobLogTest {
    private static final Instant NOW = Instant.parse("2026-01-01T08:00:00.005Z");
    private static final LogBounds WIDE = new LogBounds(1 << 20, 1 << 10, 16);

    /** Several segments, and all of what the program of these tests writes is kept. */
    private static final LogBounds NARROW = new LogBounds(4, 3, 16);

    /** Most of what it writes is gone in the end. */
    private static final LogBounds TIGHT = new LogBounds(4, 3, 2);

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

    private final LogProgress growth = new LogProgress();
    private Instant now = NOW;
    private LogFiles files;

    @BeforeEach
    void nameTheFiles() {
        files = new LogFiles(directory);
    }

    private JobLog open(LogBounds bounds) {
        return open(bounds, Clocks.neverSet(() -> now));
    }

    private JobLog open(LogBounds bounds, Clocks clock) {
        return new JobLog(new Attempt(new JobId(7), 1), directory, bounds, clock, growth);
    }

    private void run(LogBounds bounds) {
        try (JobLog log = open(bounds)) {
            PROGRAM.forEach(piece -> log.write(piece.stream(), piece(piece.text())));
        }
    }

    /** As the engine does it: in other pieces, and one stream after the other. */
    private void replay(LogBounds bounds, String more) {
        try (JobLog log = open(bounds)) {
            log.expectReplay();
            for (int i = 0; i < ERR.length(); i++) {
                log.write(Stream.ERR, piece(ERR.substring(i, i + 1)));
            }
            log.write(Stream.OUT, piece(OUT.substring(0, 5)));
            log.write(Stream.OUT, piece(OUT.substring(5) + more));
            assertThat(log.missing()).isZero();
        }
    }

    private void assertWhole(String where) {
        assertThat(files.text(Stream.OUT)).as(where).isEqualTo(OUT);
        assertThat(files.text(Stream.ERR)).as(where).isEqualTo(ERR);
    }

    @Test
    void bothStreamsStandInTheOrderOfTheirArrival() {
        run(WIDE);
        assertThat(files.text()).isEqualTo("one\noops\ntwo\n!");
        assertWhole("as written");
    }

    @Test
    void segmentsChangeNothingInWhatIsRead() {
        run(NARROW);
        assertThat(files.text()).isEqualTo("one\noops\ntwo\n!");
        assertWhole("as written");
    }

    @Test
    void aFrameTellsOffsetTimeStreamAndLength() {
        run(WIDE);
        assertThat(files.frames().get(1)).isEqualTo(new LogFrame(4, NOW.toEpochMilli(), LogFrame.STDERR, 5));
    }

    @Test
    void aProgramThatPrintsByteByByteMakesAFrameALine() {
        try (JobLog log = open(WIDE)) {
            for (int at = 0; at < 2_000; at++) {
                now = now.plusMillis(20);
                log.write(Stream.OUT, piece(at % 40 == 39 ? "\n" : "x"));
            }
        }
        assertThat(files.frames()).hasSize(50);
        assertThat(files.frames().get(1).epochMillis())
                .isEqualTo(NOW.plusMillis(41 * 20).toEpochMilli());
        assertThat(files.text()).hasSize(2_000);
    }

    @Test
    void linesThatComeApartKeepTheirTimes() {
        try (JobLog log = open(WIDE)) {
            log.write(Stream.OUT, piece("a\n"));
            now = now.plusMillis(10);
            log.write(Stream.OUT, piece("b\n"));
            now = now.minusSeconds(3_600);
            log.write(Stream.OUT, piece("set back\n"));
        }
        assertThat(files.frames())
                .extracting(LogFrame::epochMillis)
                .containsExactly(
                        NOW.toEpochMilli(),
                        NOW.toEpochMilli() + 10,
                        NOW.plusMillis(10).minusSeconds(3_600).toEpochMilli());
    }

    @Test
    void framesAreBoundedAsWellAsBytes() throws IOException {
        try (JobLog log = open(new LogBounds(1 << 20, 3, 2))) {
            for (int at = 0; at < 100; at++) {
                now = now.plusSeconds(5);
                log.write(Stream.OUT, piece("."));
            }
        }
        assertThat(files.frames()).hasSizeBetween(4, 6);
        assertThat(Segment.list(directory)).hasSize(2);
    }

    @Test
    void anOpenedLogGoesOnAtItsEnd() {
        run(NARROW);
        try (JobLog log = open(NARROW)) {
            log.write(Stream.OUT, piece("more"));
        }
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT + "more");
        assertThat(files.text(Stream.ERR)).isEqualTo(ERR);
    }

    @Test
    void aReplayOfWhatIsHereAddsNothing() {
        run(NARROW);
        String before = files.text();
        replay(NARROW, "");
        assertThat(files.text()).isEqualTo(before);
    }

    @Test
    void aReplayIntoAnEmptyLogIsTheLog() {
        replay(NARROW, "");
        assertWhole("replayed");
    }

    @Test
    void aReplayOfALongerLogAddsTheRest() {
        run(NARROW);
        replay(NARROW, "three\n");
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT + "three\n");
        assertThat(files.text(Stream.ERR)).isEqualTo(ERR);
    }

    /** A crash may leave either file any amount behind the other. */
    @Test
    void aReplayMakesALogWholeWhereverTheCrashCutBothFiles() throws IOException {
        run(WIDE);
        Map<Path, byte[]> all = files.snapshot();
        Segment segment = new Segment(directory, 0);
        long bytes = Files.size(segment.bytes());
        long frames = Files.size(segment.frames());
        for (int logLength = 0; logLength <= bytes; logLength++) {
            for (int framesLength = 0; framesLength <= frames; framesLength++) {
                files.restore(all);
                LogFiles.cut(segment.bytes(), logLength);
                LogFiles.cut(segment.frames(), framesLength);
                replay(WIDE, "");
                assertWhole("log cut at %d, frames at %d".formatted(logLength, framesLength));
            }
        }
    }

    /** The same for every file of many segments, and for files that are not there at all. */
    @Test
    void aReplayMakesALogOfManySegmentsWholeWhereverItWasCut() throws IOException {
        run(NARROW);
        Map<Path, byte[]> all = files.snapshot();
        assertThat(all).hasSizeGreaterThan(6);
        for (Map.Entry<Path, byte[]> file : all.entrySet()) {
            for (int length = -1; length < file.getValue().length; length++) {
                damage(all, file.getKey(), length);
                replay(NARROW, "");
                String where = file.getKey().getFileName() + " cut at " + length;
                if (file.getKey().equals(new Segment(directory, 0).frames()) && length < SegmentHeader.BYTES) {
                    // Nothing tells it from a segment that was dropped because of the bound.
                    assertThat(files.start()).as(where).isEqualTo(4);
                    assertThat(files.text()).as(where).isEqualTo("oops\ntwo\n!");
                } else {
                    assertWhole(where);
                }
            }
        }
    }

    private void damage(Map<Path, byte[]> all, Path file, int length) throws IOException {
        files.restore(all);
        if (length < 0) {
            Files.delete(file);
        } else {
            LogFiles.cut(file, length);
        }
    }

    /** What is kept of a log that dropped its beginning is always the end of what was written. */
    @Test
    void offsetsAndCountsOutliveDroppedSegmentsWhereverTheCrashCutTheNewest() throws IOException {
        run(TIGHT);
        String kept = files.text();
        long start = files.start();
        assertThat(start).isPositive();
        assertThat(start + kept.length()).isEqualTo((OUT + ERR).length());
        Segment newest = Segment.list(directory).getLast();
        Map<Path, byte[]> all = files.snapshot();
        for (Path file : List.of(newest.bytes(), newest.frames())) {
            for (int length = (int) Files.size(file); length >= 0; length--) {
                files.restore(all);
                LogFiles.cut(file, length);
                replay(TIGHT, "three\n");
                String where = file.getFileName() + " cut at " + length;
                assertThat(files.start() + files.text().length()).as(where).isEqualTo((OUT + ERR + "three\n").length());
                assertThat(files.text()).as(where).endsWith("three\n");
                assertThat(files.text(Stream.OUT)).as(where).isEqualTo(end(OUT + "three\n", files.text(Stream.OUT)));
                assertThat(files.text(Stream.ERR)).as(where).isEqualTo(end(ERR, files.text(Stream.ERR)));
            }
        }
    }

    private static String end(String whole, String part) {
        return whole.substring(whole.length() - part.length());
    }

    @Test
    void aLongReplayIntoALogThatDroppedMostOfItIsExact() {
        StringBuilder program = new StringBuilder();
        LogBounds bounds = new LogBounds(50, 100, 3);
        try (JobLog log = open(bounds)) {
            IntStream.range(0, 300).forEach(line -> {
                program.append("line ").append(line).append('\n');
                log.write(Stream.OUT, piece("line " + line + "\n"));
            });
        }
        try (JobLog log = open(bounds)) {
            log.expectReplay();
            program.append("the last line\n");
            log.write(Stream.OUT, piece(program.toString()));
        }
        assertThat(files.text()).hasSizeBetween(100, 150).isEqualTo(end(program.toString(), files.text()));
        assertThat(files.start()).isEqualTo(program.length() - files.text().length());
    }

    @Test
    void aReplayThatIsShorterThanTheLogSaysHowMuchIsMissing() {
        run(NARROW);
        try (JobLog log = open(NARROW)) {
            log.expectReplay();
            log.write(Stream.OUT, piece("one"));
            assertThat(log.missing()).isEqualTo((OUT + ERR).length() - 3);
        }
    }

    /** A part of a U+FFFD that was kept alone would be taken for a byte of the program's, and its rest for missing. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aReplayThatBreaksWithinAReplacementGoesOnWithItsRest(int broken) {
        byte[] copy = "7\ufffd\ufffd\ufffd{".getBytes(StandardCharsets.UTF_8);
        for (int end : new int[] {broken, copy.length}) {
            try (JobLog log = open(WIDE)) {
                log.expectReplay();
                log.write(Stream.OUT, ByteBuffer.wrap(copy, 0, Math.min(end, 2)));
                log.write(Stream.OUT, ByteBuffer.wrap(copy, Math.min(end, 2), Math.max(0, end - 2)));
            }
        }
        assertThat(files.text(Stream.OUT).getBytes(StandardCharsets.ISO_8859_1)).isEqualTo(copy);
    }

    @Test
    void whenTheFirstLineEndedOutlivesThatLine() {
        assertThat(open(TIGHT).firstLineEnded()).isEmpty();
        now = NOW;
        run(TIGHT);
        now = NOW.plusSeconds(60);
        run(TIGHT);
        try (JobLog log = open(TIGHT)) {
            assertThat(files.start()).isPositive();
            assertThat(log.firstLineEnded()).contains(NOW);
            log.expectReplay();
            assertThat(log.giveReplayUp()).isEqualTo(NOW.plusSeconds(60));
            log.write(Stream.OUT, piece("new"));
            assertThat(log.missing()).isZero();
        }
        assertThat(files.text()).endsWith("new");
    }

    /** A machine that slept, or whose date was set ahead, begins a steady clock with that date at its next start. */
    @Test
    void aRebootSetsNoDateBack() throws IOException {
        Instant late = NOW.plus(Duration.ofHours(8));
        try (JobLog log = open(NARROW, new Clocks(() -> late, new SteadyClock(NOW, () -> 0)))) {
            log.write(Stream.OUT, piece("one\n"));
        }
        try (JobLog log = open(NARROW, new Clocks(() -> late, new SteadyClock(late, () -> 0)))) {
            assertThat(log.isDateSetBack()).isFalse();
            assertThat(log.giveReplayUp()).isEqualTo(late);
        }
        try (JobLog log = open(NARROW, new Clocks(() -> NOW, new SteadyClock(NOW, () -> 0)))) {
            assertThat(log.isDateSetBack()).isTrue();
            assertThat(log.giveReplayUp()).isEqualTo(NOW);
        }
    }

    /** It may be long after its container was made, where the server or the engine was killed between. */
    @Test
    void theFirstLineOfAFurtherAttemptIsItsOwn() {
        now = NOW;
        run(NARROW);
        now = NOW.plusSeconds(60);
        try (JobLog log = open(2)) {
            assertThat(log.firstLineEnded()).isEmpty();
            now = NOW.plusSeconds(70);
            log.write(Stream.ERR, piece("again"));
            assertThat(log.firstLineEnded()).isEmpty();
            now = NOW.plusSeconds(80);
            log.write(Stream.OUT, piece("and on\n"));
        }
        try (JobLog log = open(2)) {
            assertThat(log.firstLineEnded()).contains(NOW.plusSeconds(80));
        }
    }

    private JobLog open(int attempt) {
        return new JobLog(new Attempt(new JobId(7), attempt), directory, NARROW, Clocks.neverSet(() -> now), growth);
    }

    @Test
    void whatBerthSaysIsNoneOfTheProgramsBytes() {
        run(NARROW);
        try (JobLog log = open(NARROW)) {
            log.say("a sentence");
        }
        replay(NARROW, "three\n");
        assertThat(files.text()).isEqualTo("one\noops\ntwo\n!\n[berth: a sentence]\nthree\n");
        assertThat(files.text(Stream.OUT)).isEqualTo(OUT + "three\n");
    }

    /** A reader must not be shown bytes that a replay writes in another order. */
    @Test
    void whatNoFrameTellsOfIsNeverRead() throws IOException {
        run(WIDE);
        LogFiles.cut(new Segment(directory, 0).frames(), SegmentHeader.BYTES + 2 * Frames.BYTES + 5);
        assertThat(files.text()).isEqualTo("one\noops\n");
        open(WIDE).close();
        assertThat(files.text()).isEqualTo("one\noops\n");
        assertThat(new Segment(directory, 0).bytes()).hasSize(9);
    }

    /** A power cut may leave a file longer than what was written of it: zeros, or what the disk held there before. */
    @ParameterizedTest
    @ValueSource(bytes = {0, 1, 2, 0x7f, -1})
    void aReplayMakesALogWholeBehindRubbish(byte rubbish) throws IOException {
        run(WIDE);
        byte[] tail = new byte[40];
        Arrays.fill(tail, rubbish);
        Files.write(new Segment(directory, 0).frames(), tail, StandardOpenOption.APPEND);
        replay(WIDE, "");
        assertWhole("behind rubbish");
    }

    @Test
    void aDiskThatTakesNoMoreBreaksNothingAndAReplayMendsIt() throws IOException {
        try (JobLog log = open(NARROW)) {
            log.write(Stream.OUT, piece("one"));
            // The next segment cannot be made where a directory stands.
            Files.createDirectory(new Segment(directory, 1).bytes());
            log.write(Stream.OUT, piece("\ntwo\n"));
            log.write(Stream.ERR, piece(ERR));
            assertThat(log.isWhole()).isFalse();
        }
        assertThat(files.text()).isEqualTo("one\n");
        Files.delete(new Segment(directory, 1).bytes());
        replay(NARROW, "");
        assertWhole("mended");
    }

    @Test
    void aLogThatCannotBeOpenedTakesNothingAndThrowsNothing() {
        directory = directory.resolve("nowhere");
        try (JobLog log = open(NARROW)) {
            log.expectReplay();
            log.write(Stream.OUT, piece("one"));
            log.say("nothing");
            assertThat(log.isWhole()).isFalse();
        }
    }

    @Test
    void whatIsWrittenIsSignalled() {
        try (JobLog log = open(NARROW)) {
            long before = growth.signal().count();
            log.write(Stream.OUT, piece("x"));
            assertThat(growth.signal().count()).isGreaterThan(before);
            assertThat(growth.end()).isEqualTo(1);
        }
    }

    @Test
    void thePieceIsTheCallersAgain() {
        var piece = piece("hello");
        try (JobLog log = open(WIDE)) {
            log.write(Stream.OUT, piece);
            piece.clear().put("HELLO".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(files.text()).isEqualTo("hello");
    }
}
