package dev.berth.server.log;

import static dev.berth.server.log.LogFiles.piece;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The logs of several jobs, read while they grow and afterwards. */
class LogStoreTest {
    private static final JobId JOB = new JobId(7);
    private static final Attempt ATTEMPT = new Attempt(JOB, 1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private LogStore logs;

    @BeforeEach
    void open() throws IOException {
        logs = new LogStore(
                job -> directory.resolve(job.toString()), Clocks.neverSet(InstantSource.fixed(Instant.EPOCH)));
        Files.createDirectory(directory.resolve("7"));
        Files.createDirectory(directory.resolve("8"));
    }

    private String read(JobId job, long offset, int room) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(room);
        try (LogReader reader = logs.reader(job)) {
            reader.seek(offset);
            int count = reader.read(into);
            assertThat(count).isEqualTo(into.position());
            return new String(into.array(), 0, count, StandardCharsets.UTF_8);
        }
    }

    @Test
    void aLogIsReadByOffsetWhileItIsOpen() throws IOException {
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.OUT, piece("hello "));
            assertThat(read(JOB, 0, 100)).isEqualTo("hello ");
            log.write(Stream.ERR, piece("world"));
            assertThat(read(JOB, 0, 100)).isEqualTo("hello world");
            assertThat(read(JOB, 6, 3)).isEqualTo("wor");
            assertThat(read(JOB, 11, 3)).isEmpty();
            assertThat(read(JOB, Long.MAX_VALUE, 3)).isEmpty();
        }
    }

    @Test
    void aLogThatIsNotThereReadsAsEmpty() throws IOException {
        assertThat(read(new JobId(99), 0, 10)).isEmpty();
        assertThat(read(JOB, 5, 10)).isEmpty();
    }

    @Test
    void theLastLineOfStderrIsFoundAmongAllElse() throws IOException {
        assertThat(logs.lastErrorLine(JOB)).isEmpty();
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.OUT, piece("hello\n"));
            assertThat(logs.lastErrorLine(JOB)).isEmpty();
            log.write(Stream.ERR, piece("  1%\r  2%\r 10%"));
            assertThat(logs.lastErrorLine(JOB)).hasValue("10%");
            log.write(Stream.OUT, piece("between"));
            log.write(Stream.ERR, piece("0%\nTrace"));
            log.write(Stream.OUT, piece("back\n"));
            log.write(Stream.ERR, piece("back: x\n \n"));
            log.say("something");
        }
        assertThat(logs.lastErrorLine(JOB)).hasValue("Traceback: x");
        logs.finish(JOB);
        assertThat(logs.lastErrorLine(JOB)).hasValue("Traceback: x");
    }

    @Test
    void theLastLineIsOneOfTheLastAttempt() {
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.ERR, piece("of the first\n"));
        }
        try (JobLog log = logs.append(new Attempt(JOB, 2))) {
            log.write(Stream.OUT, piece("quiet\n"));
            assertThat(logs.lastErrorLine(JOB)).isEmpty();
            log.write(Stream.ERR, piece("of the second"));
        }
        assertThat(logs.lastErrorLine(JOB)).hasValue("of the second");
    }

    @Test
    void theSearchForTheLastLineHasABound() {
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.ERR, piece("early\n"));
            for (int at = 0; at < 600; at++) {
                log.write(at % 2 == 0 ? Stream.OUT : Stream.NOTICE, piece("x\n"));
            }
            assertThat(logs.lastErrorLine(JOB)).isEmpty();
            log.write(Stream.ERR, piece("y".repeat(100_000)));
        }
        assertThat(logs.lastErrorLine(JOB).orElseThrow()).hasSize(4_096);
    }

    @Test
    void whoWaitsForTheEndOfALogGoesOnAtItsEnd() throws Exception {
        logs.awaitComplete(JOB, PATIENCE);
        logs.expect(JOB);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> {
            try {
                logs.awaitComplete(JOB, PATIENCE);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.ERR, piece("x"));
        }
        assertThat(waits).isNotDone();
        logs.finish(JOB);
        waits.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void eachJobHasALogOfItsOwn() throws IOException {
        try (JobLog mine = logs.append(ATTEMPT);
                JobLog other = logs.append(new Attempt(new JobId(8), 1))) {
            mine.write(Stream.OUT, piece("mine"));
            other.write(Stream.OUT, piece("other"));
        }
        assertThat(read(JOB, 0, 10)).isEqualTo("mine");
        assertThat(read(new JobId(8), 0, 10)).isEqualTo("other");
    }

    @Test
    void appendGoesOnAndReplaySkipsWhatIsHere() throws IOException {
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.OUT, piece("ab"));
        }
        try (JobLog log = logs.replay(ATTEMPT)) {
            log.write(Stream.OUT, piece("abc"));
        }
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.OUT, piece("abc"));
        }
        assertThat(read(JOB, 0, 10)).isEqualTo("abcabc");
    }

    @Test
    void aLogIsExpectedFromTheFirstWordOfItUntilItIsFinished() {
        assertThat(logs.isExpected(JOB)).isFalse();
        assertThat(logs.signal(JOB)).isNull();
        logs.expect(JOB);
        Signal signal = logs.signal(JOB);
        assertThat(logs.isExpected(JOB)).isTrue();
        logs.expect(JOB);
        assertThat(logs.signal(JOB))
                .as("a reader that waits already is not left behind")
                .isSameAs(signal);
        logs.append(ATTEMPT).close();
        assertThat(logs.signal(JOB)).isSameAs(signal);
        assertThat(logs.isExpected(JOB)).as("closed is not complete").isTrue();
        logs.finish(JOB);
        assertThat(logs.isExpected(JOB)).isFalse();
        assertThat(logs.signal(JOB)).isNull();
        logs.finish(JOB);
        assertThat(logs.isExpected(JOB)).isFalse();
    }

    /** The bytes that the log takes on the disk. */
    private long size() throws IOException {
        long size = 0;
        for (Path file : Segment.files(directory.resolve("7"))) {
            size += Files.size(file);
        }
        return size;
    }

    @Test
    void aLogHasASizeAndCanBeDeletedWhenItIsComplete() throws IOException {
        assertThat(size()).isZero();
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.OUT, piece("hello"));
        }
        assertThat(size()).isEqualTo("hello".length() + SegmentHeader.BYTES + Frames.BYTES);
        assertThatIllegalStateException().isThrownBy(() -> logs.delete(JOB)).withMessageContaining("job 7");
        logs.finish(JOB);
        Path other = Files.writeString(directory.resolve("7").resolve("log.txt"), "not ours");
        logs.delete(JOB);
        logs.delete(new JobId(99));
        assertThat(size()).isZero();
        assertThat(read(JOB, 0, 10)).isEmpty();
        assertThat(directory.resolve("7").toFile().list()).containsExactly("log.txt");
        assertThat(other).exists();
    }

    @Test
    void aSmallBoundKeepsTheEnd() throws IOException {
        LogStore small = new LogStore(
                job -> directory.resolve(job.toString()), Clocks.neverSet(InstantSource.system()), 1 << 16);
        try (JobLog log = small.append(ATTEMPT)) {
            for (int block = 0; block < 100; block++) {
                log.write(Stream.OUT, piece((char) ('a' + block % 26) + "x".repeat(4_095)));
            }
            log.write(Stream.OUT, piece("the end"));
        }
        assertThat(size()).isBetween(60_000L, 80_000L);
        assertThat(read(JOB, 100 * 4_096, 100)).isEqualTo("the end");
        assertThat(read(JOB, 0, 1)).isEqualTo(String.valueOf((char) ('a' + 85 % 26)));
    }

    @Test
    void theEndIsSignalledToWhoWaitsAlready() {
        logs.expect(JOB);
        Signal signal = Objects.requireNonNull(logs.signal(JOB));
        long seen = signal.count();
        logs.finish(JOB);
        assertThat(signal.count()).isGreaterThan(seen);
    }

    @Test
    void aReaderThatWaitsIsWokenByWhatIsWritten() throws Exception {
        logs.expect(JOB);
        CompletableFuture<String> reader = follow("line\n".length());
        try (JobLog log = logs.append(ATTEMPT)) {
            log.write(Stream.OUT, piece("li"));
            log.write(Stream.OUT, piece("ne\n"));
            assertThat(reader.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("line\n");
        }
    }

    @Test
    void aReaderThatWaitsIsWokenByTheEnd() throws InterruptedException, ExecutionException, TimeoutException {
        logs.expect(JOB);
        CompletableFuture<String> reader = follow(1_000);
        logs.finish(JOB);
        assertThat(reader.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
    }

    /** Reads until it has that many bytes or the log is complete, as a follower does. */
    private CompletableFuture<String> follow(int length) {
        Signal signal = Objects.requireNonNull(logs.signal(JOB));
        CompletableFuture<String> text = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                long seen = signal.count();
                String read = read(JOB, 0, length);
                while (read.length() < length && logs.isExpected(JOB)) {
                    assertThat(signal.awaitBeyond(seen, PATIENCE)).isTrue();
                    seen = signal.count();
                    read = read(JOB, 0, length);
                }
                text.complete(read);
            } catch (IOException | InterruptedException | AssertionError e) {
                text.completeExceptionally(e);
            }
        });
        return text;
    }
}
