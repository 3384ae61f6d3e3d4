package dev.berth.server.log;

import static dev.berth.server.log.LogFiles.piece;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.AttemptMarks.Mark;
import dev.berth.server.log.AttemptMarks.Part;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where in a log its attempts begin and end. */
class AttemptMarksTest {
    private static final JobId JOB = new JobId(7);

    @TempDir
    private Path directory;

    private LogStore logs;

    @BeforeEach
    void open() {
        logs = new LogStore(_ -> directory, Clocks.neverSet(InstantSource.fixed(Instant.EPOCH)), 1 << 16);
    }

    private void write(int attempt, String text) {
        try (JobLog log = logs.append(new Attempt(JOB, attempt))) {
            log.write(Stream.OUT, piece(text));
            assertThat(log.isWhole()).isTrue();
        }
    }

    private String read(int attempt) throws IOException {
        try (LogReader reader = logs.reader(JOB)) {
            Part part = logs.marks(JOB).part(attempt).orElseThrow();
            reader.confine(Math.min(part.begin(), reader.logEnd()), part.end());
            reader.seek(0);
            return LogFiles.rest(reader);
        }
    }

    private void olderBerth(Path file) throws IOException {
        Files.delete(directory.resolve(file));
    }

    @Test
    void eachAttemptHasItsPart() throws IOException {
        write(1, "one");
        assertThat(directory.resolve("log-attempts"))
                .as("no file for the first attempt, the only one of most jobs")
                .doesNotExist();
        write(2, "two");
        write(2, ", and more");
        write(3, "three");
        assertThat(read(1)).isEqualTo("one");
        assertThat(read(2)).isEqualTo("two, and more");
        assertThat(read(3)).isEqualTo("three");
    }

    @Test
    void anAttemptWhoseLogWasNotOpenedHasAnEmptyOne() throws IOException {
        assertThat(read(1)).isEmpty();
        write(3, "three");
        write(6, "six");
        assertThat(read(1)).isEmpty();
        assertThat(read(2)).isEmpty();
        assertThat(read(3)).isEqualTo("three");
        assertThat(read(4)).isEmpty();
        assertThat(read(6)).isEqualTo("six");
        assertThat(read(7)).isEmpty();
        assertThat(logs.marks(JOB).part(7)).hasValue(new Part(Part.AT_END, Part.AT_END));
    }

    @Test
    void ofALogOfAnOlderBerthTheLatestAttemptIsKnown() throws IOException {
        write(1, "one");
        write(2, "two");
        write(3, "three");
        olderBerth(Path.of("log-attempts"));
        assertThat(read(3)).isEqualTo("three");
        assertThat(logs.marks(JOB).part(2)).isEmpty();
        assertThat(logs.marks(JOB).part(1))
                .as("its end is where the second began")
                .isEmpty();
        write(4, "four");
        assertThat(read(3)).isEqualTo("three");
        assertThat(read(4)).isEqualTo("four");
        assertThat(logs.marks(JOB).part(1)).isEmpty();
    }

    @Test
    void ofALogOfAnOlderBerthTwoAttemptsAreKnown() throws IOException {
        write(1, "one");
        write(2, "two");
        olderBerth(Path.of("log-attempts"));
        assertThat(read(1)).isEqualTo("one");
        assertThat(read(2)).isEqualTo("two");
    }

    @Test
    void whatIsDamagedCountsAsNotThere() throws IOException {
        write(1, "one");
        write(2, "two");
        write(3, "three");
        Path file = directory.resolve("log-attempts");
        byte[] bytes = Files.readAllBytes(file);
        bytes[20]++;
        Files.write(file, bytes);
        assertThat(logs.marks(JOB).part(2)).isEmpty();
        write(4, "four");
        assertThat(read(3)).isEqualTo("three");
    }

    /** A crash after an attempt's mark, and before the rest of its beginning. */
    @Test
    void aBeginningThatBrokeOffIsMadeAgain() throws IOException {
        write(1, "one");
        write(2, "");
        Files.delete(directory.resolve("log-attempt"));
        write(2, "two");
        assertThat(read(1)).isEqualTo("one");
        assertThat(read(2)).isEqualTo("two");
    }

    @Test
    void theEarliestMarksGoWhereThereAreTooMany() throws IOException {
        AttemptMarks marks = AttemptMarks.FIRST;
        for (int attempt = 2; attempt <= AttemptMarks.MAX_MARKS + 2; attempt++) {
            marks = marks.with(attempt, attempt * 10L, 1);
        }
        AttemptMarksFile.write(directory, marks);
        assertThat(Files.size(directory.resolve("log-attempts"))).isLessThan(100_000);
        assertThat(marks.marks()).hasSize(AttemptMarks.MAX_MARKS);
        assertThat(marks.part(1)).isEmpty();
        assertThat(marks.part(2)).isEmpty();
        assertThat(marks.part(3)).hasValue(new Part(31, 40));
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        AttemptMarks marks = new AttemptMarks(2, List.of(new Mark(2, 3, 4), new Mark(5, 6, 7)));
        AttemptMarksFile.write(directory, marks);
        assertThat(AttemptMarksFile.read(directory)).isEqualTo(marks);
        AttemptMarksFile.delete(directory);
        assertThat(AttemptMarksFile.read(directory)).isEqualTo(AttemptMarks.FIRST);
    }

    /** The bound of a log drops the oldest segments; the offsets stay what they were. */
    @Test
    void anAttemptKeepsItsPartWhileTheBeginningGoes() throws IOException {
        write(1, "x".repeat(40_000));
        write(2, "y".repeat(40_000));
        assertThat(read(2)).isEqualTo("y".repeat(40_000));
        assertThat(read(1)).isNotEmpty().hasSizeLessThan(40_000).matches("x+");
    }
}
