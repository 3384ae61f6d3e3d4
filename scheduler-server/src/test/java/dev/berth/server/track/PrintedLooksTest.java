package dev.berth.server.track;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.TrackSources;
import dev.berth.core.machine.Attempt;
import dev.berth.server.example.Jobs;
import dev.berth.server.log.JobLog;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.log.LogStore;
import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.Reading;
import dev.berth.server.store.track.Reading.Omission;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.TrackQueries;
import dev.berth.server.store.track.TrackStore;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs print for Berth, in real logs and a real database. */
class PrintedLooksTest {
    private static final JobId ID = new JobId(7);
    private static final Attempt FIRST = new Attempt(ID, 1);
    private static final Attempt SECOND = new Attempt(ID, 2);
    private static final long LARGE = 1 << 20;

    /** As small as a log can be. */
    private static final long SMALL = 64 << 10;

    @TempDir
    private Path directory;

    private Job job;
    private LogStore logs;
    private JobLog log;
    private TrackStore store;
    private TrackQueries queries;
    private PrintedLooks looks;

    @BeforeEach
    void open() throws IOException {
        job = asking("stdout");
        Files.createDirectories(directory.resolve("log"));
        bound(LARGE);
        store = new TrackStore(directory.resolve("tracking.db"));
        queries = new TrackQueries(directory.resolve("tracking.db"));
        restart();
    }

    private void bound(long bytes) {
        logs = new LogStore(_ -> directory.resolve("log"), Clocks.neverSet(InstantSource.fixed(Jobs.STARTED)), bytes);
        log = logs.append(FIRST);
    }

    private static Job asking(String sources) {
        JobSpec spec = Jobs.with(
                Jobs.spec(1),
                new InContainer(
                        "",
                        Jobs.IMAGE,
                        PullPolicy.MISSING,
                        null,
                        null,
                        "none",
                        List.of(),
                        TrackSources.parse(sources)));
        return Jobs.job(ID.value(), spec, Jobs.ROOT, Jobs.runningOn(0));
    }

    private void restart() {
        looks = new PrintedLooks(logs, _ -> Optional.of(job), attempt -> store.position(attempt, PrintedLooks.SOURCE));
    }

    @AfterEach
    void close() {
        log.close();
        queries.close();
        store.close();
    }

    private void print(Stream stream, String text) {
        log.write(stream, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private void print(String text) {
        print(Stream.OUT, text);
    }

    /** Looks until nothing is new, and keeps what is found. */
    private void keep(Attempt attempt, boolean isOver) {
        for (Optional<Reading> found = looks.look(attempt, isOver);
                found.isPresent();
                found = looks.look(attempt, isOver)) {
            store.keep(List.of(found.get()), 0);
            looks.keep(found.get());
        }
    }

    private List<Long> steps(String metric) {
        return queries.points(ID, metric, 0, 10_000).stream()
                .map(StoredPoint::step)
                .toList();
    }

    private List<String> omissions() {
        return queries.of(ID).omissions().stream().map(Omission::kind).toList();
    }

    @Test
    void linesOfStandardOutputCount() {
        print(
                "hello\n::berth metric loss=0.5 step=1\nnot ::berth metric loss=0.5 step=9\n::berth param lr=0.1\n::berth\n");
        print(Stream.ERR, "::berth metric loss=0.5 step=8\n");
        keep(FIRST, false);
        assertThat(queries.of(ID).metrics()).extracting(Metric::name).containsExactly("loss");
        assertThat(queries.points(ID, "loss", 0, 9))
                .containsExactly(new StoredPoint(1, Jobs.STARTED.toEpochMilli(), 0.5));
        assertThat(queries.of(ID).parameters()).containsEntry("lr", "0.1");
        assertThat(omissions()).isEmpty();
    }

    @Test
    void aLineCountsOnceWhole() {
        print("::berth metric loss=1 st");
        keep(FIRST, false);
        print(Stream.ERR, "in between\n");
        keep(FIRST, false);
        restart();
        print("ep=1");
        keep(FIRST, false);
        assertThat(steps("loss")).isEmpty();
        print("0\nplain");
        // Read, and not kept: the server ends before.
        assertThat(looks.look(FIRST, false)).isPresent();
        restart();
        keep(FIRST, false);
        restart();
        keep(FIRST, false);
        assertThat(steps("loss")).containsExactly(10L);
    }

    @Test
    void theLastLineNeedsNoEndOnceTheLogIsComplete() {
        print("::berth metric loss=1 step=1");
        keep(FIRST, true);
        assertThat(looks.isRead(FIRST)).as("before the log is complete").isFalse();
        log.close();
        logs.finish(ID);
        keep(FIRST, true);
        assertThat(steps("loss")).containsExactly(1L);
        assertThat(looks.isRead(FIRST)).isTrue();
    }

    @Test
    void eachAttemptHasItsPartOfTheLog() {
        print("::berth metric loss=1 step=1");
        log.close();
        log = logs.append(SECOND);
        print("::berth metric loss=1 step=2\n");
        keep(SECOND, false);
        keep(FIRST, true);
        assertThat(looks.isRead(FIRST)).isTrue();
        assertThat(steps("loss")).containsExactly(2L, 1L);
    }

    @Test
    void longLinesCostNothingAndThoseThatAreMeantAreNamed() {
        print("x".repeat(30_000) + "::berth metric loss=1 step=1");
        keep(FIRST, false);
        print("::berth metric loss=1 step=2\n");
        keep(FIRST, false);
        print("::berth param a=" + "x".repeat(20_000));
        keep(FIRST, false);
        assertThat(omissions()).isEmpty();
        for (int piece = 0; piece < 5; piece++) {
            print("x".repeat(10_000));
            keep(FIRST, false);
        }
        print("\n::berth metric loss=1 step=3\n");
        keep(FIRST, false);
        assertThat(steps("loss")).containsExactly(3L);
        assertThat(queries.of(ID).omissions())
                .containsExactly(new Omission("LINE_TOO_LONG", "A line is longer than 65,536 bytes.", 1));
    }

    /** A look that begins within a line which is left out knows that. */
    @Test
    void theRestOfALineThatIsTooLongIsNoLine() {
        print("::berth param a=" + "x".repeat(70_000));
        keep(FIRST, false);
        restart();
        print("::berth metric loss=1 step=1\n::berth metric loss=1 step=2\n");
        keep(FIRST, false);
        assertThat(steps("loss")).containsExactly(2L);
        assertThat(omissions()).containsExactly("LINE_TOO_LONG");
    }

    @Test
    void whatTheLogLostIsNamed() {
        log.close();
        bound(SMALL);
        restart();
        print("::berth metric loss=1 step=1\n");
        keep(FIRST, false);
        for (int line = 0; line < 4_000; line++) {
            print("::berth metric loss=1 step=" + (line + 2) + "\n");
        }
        keep(FIRST, false);
        assertThat(omissions()).containsExactly("LOG_CUT");
        List<Long> steps = steps("loss");
        assertThat(steps.getFirst()).isEqualTo(1);
        assertThat(steps.getLast()).isEqualTo(4_001);
        assertThat(steps).doesNotHaveDuplicates().hasSizeBetween(1_000, 3_000);
    }

    @Test
    void aLineWhoseEndDoesNotComeIsNamedAndTheOthersCount() {
        log.close();
        bound(16 * LARGE);
        restart();
        print("::berth metric loss=1 step=1\n::berth metric loss=1 st");
        String error = "e".repeat(65_535) + "\n";
        for (int piece = 0; piece < 100; piece++) {
            print(Stream.ERR, error);
        }
        keep(FIRST, false);
        print("ep=2\n::berth metric loss=1 step=3\n");
        log.close();
        logs.finish(ID);
        keep(FIRST, true);
        assertThat(looks.isRead(FIRST)).isTrue();
        assertThat(steps("loss")).containsExactly(1L, 3L);
        assertThat(omissions()).containsExactly("LINE_TORN");
    }

    @Test
    void muchStandardErrorWithinALineThatIsMeantKeepsItsEnd() {
        log.close();
        bound(16 * LARGE);
        restart();
        print("::berth metric loss=1 st");
        String error = "e".repeat(65_535) + "\n";
        for (int piece = 0; piece < 30; piece++) {
            print(Stream.ERR, error);
        }
        keep(FIRST, false);
        print("ep=2\n");
        keep(FIRST, false);
        assertThat(steps("loss")).containsExactly(2L);
        assertThat(omissions()).isEmpty();
    }

    @Test
    void nothingIsReadThatIsNotAskedFor() {
        job = asking("tensorboard,csv");
        restart();
        print("::berth metric loss=1 step=1\n");
        assertThat(looks.look(FIRST, false)).isEmpty();
        assertThat(looks.isRead(FIRST)).isTrue();
    }
}
