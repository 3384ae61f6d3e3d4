package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.config.Settings;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.occupy.GpuGate;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.log.LogStore;
import dev.berth.server.mount.MountRules;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.EngineException;
import dev.berth.server.time.Clocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a log when servers come and go, and when the engine's copy or the disk fails. */
class ContainersLogTest {
    private static final JobId JOB = new JobId(1);
    private static final String IMAGE = "image:1";

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-01-01T08:00:00Z");
    private Duration ahead = Duration.ZERO;
    private final Clocks clocks = new Clocks(() -> now, () -> now.minus(ahead));
    private final ContainerNames names = new ContainerNames("server01");
    private final FakeContainerEngine engine = new FakeContainerEngine(() -> now, (_, _) -> {}).withImage(IMAGE);
    private String name = names.of(new Attempt(JOB, 1));
    private DockerRunner server;
    private LogStore logs;

    @BeforeEach
    void startTheProgram() throws IOException {
        Files.createDirectory(directory.resolve("jobs"));
        Files.createDirectory(directory.resolve("snapshots"));
        startServer();
        create(1);
    }

    private void create(int attempt) {
        name = names.of(new Attempt(JOB, attempt));
        engine.create(new ContainerPlan(
                name,
                engine.findImage(IMAGE).orElseThrow(),
                List.of("program"),
                new Submitter(65_534, 65_534, List.of(), "nobody"),
                Map.of(),
                List.of(),
                new GpuAccess.None(),
                List.of(),
                "/tmp",
                "bridge",
                new ContainerPlan.Limits(0, 0, List.of(), 0, 1L << 26, 256, 1L << 20),
                names.labels(new Attempt(JOB, attempt), Allocation.NONE)));
        engine.start(name);
        assertThat(server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, attempt))))
                .isTrue();
    }

    private void startServer() {
        Workspaces workspaces = new Workspaces(
                directory.resolve("jobs"),
                new SnapshotStore(directory.resolve("snapshots"), UploadLimits.DEFAULT, InstantSource.system()),
                false);
        logs = new LogStore(workspaces::of, clocks);
        server = new DockerRunner(
                engine,
                new ContainerParts(
                        new ContainerPlans(names, workspaces, GpuHandover.SIMULATED, 1 << 26),
                        workspaces,
                        Mounts.asUser(new MountRules(Settings.of(), Path.of("/run/engine"), List.of())),
                        logs,
                        _ -> Optional.of(Jobs.PROGRAM),
                        _ -> List.of(),
                        GpuGate.OPEN,
                        StartCheck.NONE,
                        Duration.ofSeconds(1),
                        clocks),
                (_, _) -> {},
                (_, _) -> {});
    }

    private void print(String text) {
        engine.print(name, Stream.OUT, text);
        now = now.plusSeconds(10);
    }

    private void setDate(Duration by) {
        now = now.plus(by);
        ahead = ahead.plus(by);
    }

    private void takeOver() {
        startServer();
        server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 1)));
    }

    private void release() {
        engine.end(name, 0);
        assertThat(server.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 1))))
                .isTrue();
        assertThat(engine.all()).isEmpty();
        assertThat(logs.isExpected(JOB)).isFalse();
    }

    private String text() throws IOException {
        ByteBuffer room = ByteBuffer.allocate(1 << 16);
        try (LogReader reader = logs.reader(JOB)) {
            reader.seek(0);
            while (reader.read(room) > 0) {}
        }
        return new String(room.array(), 0, room.position(), StandardCharsets.UTF_8);
    }

    @Test
    void theNextServerGoesOnWhereTheLogEnds() throws IOException {
        print("one\n");
        engine.forgetReaders();
        print("two\n");
        takeOver();
        print("three\n");
        release();
        assertThat(text()).isEqualTo("one\ntwo\nthree\n");
    }

    /** Counting from the beginning of what the engine has left would swallow what is new. */
    @Test
    void theNextServerGoesOnBehindWhatAnEngineHasCutAndSaysSo() throws IOException {
        print("one\n");
        print("two\n");
        engine.forgetReaders();
        engine.cutLog(name);
        print("three\n");
        takeOver();
        print("four\n");
        release();
        assertThat(text())
                .isEqualTo(
                        "one\ntwo\n\n[berth: the container engine's own copy of this log begins later, as it was cut or"
                                + " the engine was killed: up to a second of output, and what was cut, may be missing"
                                + " here]\nthree\nfour\n");
    }

    @Test
    void aDateThatWasSetBackSkipsNothingOfWhatAnEngineHasCut() throws IOException {
        print("one\n");
        print("two\n");
        engine.forgetReaders();
        engine.cutLog(name);
        setDate(Duration.ofHours(-2));
        print("three\n");
        takeOver();
        print("four\n");
        release();
        assertThat(text()).startsWith("one\ntwo\n").endsWith("]\nthree\nfour\n");
    }

    /** The latest date in the log is two hours later than that of its last line. */
    @Test
    void aLogThatAnEngineHasCutGoesOnBehindItsLastLineAlsoWhereThatIsNotItsLatest() throws IOException {
        print("one\n");
        setDate(Duration.ofHours(-2));
        print("two\n");
        engine.forgetReaders();
        engine.cutLog(name);
        print("three\n");
        takeOver();
        print("four\n");
        release();
        assertThat(text()).startsWith("one\ntwo\n").endsWith("]\nthree\nfour\n");
    }

    @Test
    void aDateThatWasSetAheadBringsNothingOfALogTwice() throws IOException {
        setDate(Duration.ofHours(-2));
        print("one\n");
        engine.forgetReaders();
        engine.cutLog(name);
        print("two\n");
        takeOver();
        setDate(Duration.ofHours(2));
        engine.forgetReaders();
        startServer();
        engine.cutLog(name);
        print("three\n");
        server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 1)));
        release();
        assertThat(text()).containsOnlyOnce("two\n").endsWith("]\nthree\n");
    }

    /** Our date of the first line and the engine's differ then, although its copy is whole. */
    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void aDateThatWasSetWhileTheFirstLineWasOnItsWayBringsNothingTwice(int hours) throws IOException {
        bringsNothingTwice(hours);
    }

    /** How far it was set in all before the line came tells nothing of the engine's date of it then. */
    @ParameterizedTest
    @CsvSource({"1, 1", "-1, 2", "-2, 1"})
    void aDateThatWasSetBeforeAndAfterTheFirstLineWasWrittenBringsNothingTwice(int before, int onItsWay)
            throws IOException {
        setDate(Duration.ofHours(before));
        bringsNothingTwice(onItsWay);
    }

    /** Where the date is set by so many hours while the first line is on its way, and back later. */
    private void bringsNothingTwice(int hours) throws IOException {
        Runnable arrival = engine.printOnItsWay(name, Stream.OUT, "one\n");
        setDate(Duration.ofHours(hours));
        arrival.run();
        setDate(Duration.ofMinutes(-100));
        engine.forgetReaders();
        print("two\n");
        takeOver();
        release();
        assertThat(text()).isEqualTo("one\ntwo\n");
    }

    @Test
    void anEngineThatHasCutItsCopyIsFoundOutAlsoWhereTheDateWasSetBeforeTheFirstLine() throws IOException {
        setDate(Duration.ofHours(1));
        print("one\n");
        setDate(Duration.ofMinutes(-100));
        print("two\n");
        engine.forgetReaders();
        engine.cutLog(name);
        print("three\n");
        takeOver();
        release();
        assertThat(text()).startsWith("one\ntwo\n").endsWith("]\nthree\n");
    }

    /** An engine that was killed while it removed a container calls it dead, and answers 409 to who would read its log. */
    @Test
    void aContainerWhoseRemovalWasBrokenOffIsRemovedAlthoughItsLogCannotBeReadAgain() throws IOException {
        print("one\n");
        engine.forgetReaders();
        startServer();
        engine.strikeWith((call, done) -> {
            if (call.equals("readLog") && !done) {
                throw new EngineException(
                        EngineException.Kind.NOT_FOUND,
                        "can not get logs from container which is dead or marked for removal");
            }
        });
        release();
        assertThat(text()).isEqualTo("one\n");
    }

    /** A server that counted all attempts together would skip the beginning of the second one's output. */
    @Test
    void aSecondAttemptIsReplayedFromItsOwnBeginning() throws IOException {
        print("first attempt\n");
        release();
        create(2);
        print("second\n");
        engine.forgetReaders();
        print("attempt\n");
        startServer();
        server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 2)));
        print("ends\n");
        engine.end(name, 0);
        assertThat(server.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 2))))
                .isTrue();
        assertThat(text()).isEqualTo("first attempt\n\n[berth: attempt 2 begins]\nsecond\nattempt\nends\n");
    }

    /** An attach stream that was cut looks like one that has ended. */
    @Test
    void whatAStreamThatWasCutDidNotBringIsReadFromTheEngineAtTheEnd() throws IOException {
        print("one\n");
        engine.cutStreams(name);
        print("two\n");
        release();
        assertThat(text()).isEqualTo("one\ntwo\n");
    }

    @Test
    void aStreamThatHasEndedUnderAProgramThatRunsIsTakenUpAgain() throws IOException {
        print("one\n");
        engine.cutStreams(name);
        print("two\n");
        server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 1)));
        print("three\n");
        assertThat(text()).isEqualTo("one\ntwo\nthree\n");
        release();
    }

    /** Connections between the two were cut: an answer of no line at all was one that broke off. */
    @Test
    void aBeginningThatBrokeOffIsNoLogThatWasCut() throws IOException {
        print("one\n");
        engine.cutStreams(name);
        print("two\n");
        engine.breakOffNextBeginning();
        server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 1)));
        print("three\n");
        release();
        assertThat(text()).isEqualTo("one\ntwo\nthree\n");
    }

    /** An engine that is killed may lose what it has handed out already; what comes then is not swallowed for it. */
    @Test
    void whatTheEngineItselfLostIsKeptAndNothingIsSwallowedForIt() throws IOException {
        print("one\n");
        print("lost by the engine\n");
        engine.cutStreams(name);
        engine.loseLastPiece(name);
        print("two\n");
        server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 1)));
        print("three\n");
        startServer();
        engine.forgetReaders();
        print("four\n");
        server.adopt(new AdoptRun(RunnerKind.CONTAINER, new Attempt(JOB, 1)));
        release();
        assertThat(text()).isEqualTo("one\nlost by the engine\ntwo\nthree\nfour\n");
    }

    /** It ended under the next engine, which knows of its end: what was lost is what is kept. */
    @Test
    void whatIsKeptBeyondTheEnginesOwnCopyIsMarkedByNothing() throws IOException {
        print("one\n");
        print("handed out as the engine was killed\n");
        engine.cutStreams(name);
        engine.loseLastPiece(name);
        engine.beginRun();
        release();
        assertThat(text()).isEqualTo("one\nhanded out as the engine was killed\n");
    }

    @Test
    void aProgramThatEndedWhileNoEngineWasThereHasALogThatSaysSo() throws IOException {
        print("one\n");
        engine.cutStreams(name);
        engine.loseLastMessages(name, 0);
        now = now.plusSeconds(10);
        engine.end(name, 0);
        now = now.plusSeconds(10);
        engine.beginRun();
        assertThat(server.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 1))))
                .isTrue();
        assertThat(text())
                .isEqualTo("one\n\n[berth: the container engine may have been away when this program ended; what the"
                        + " program wrote last may be missing]\n");
    }

    /** What broke the stream looks like the program's end, where that came right after it. */
    @ParameterizedTest
    @CsvSource({"100, true", "10, false"})
    void aProgramThatEndedRightAfterItsEngineWasNotHeardToItsEnd(long millis, boolean isMarked) throws IOException {
        print("one\n");
        engine.cutStreams(name);
        engine.loseLastMessages(name, 0);
        now = now.plusMillis(millis);
        engine.end(name, 0);
        now = now.plusSeconds(10);
        engine.beginRun();
        assertThat(server.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 1))))
                .isTrue();
        assertThat(text().contains("the container engine may have been away when this program ended"))
                .isEqualTo(isMarked);
    }

    /** It was heard to its end, and the engine ended after it. */
    @Test
    void aProgramThatEndedBeforeItsEngineDidHasALogThatSaysNothing() throws IOException {
        print("one\n");
        engine.end(name, 0);
        now = now.plusSeconds(10);
        engine.beginRun();
        assertThat(server.release(new ReleaseRun(RunnerKind.CONTAINER, new Attempt(JOB, 1))))
                .isTrue();
        assertThat(text()).isEqualTo("one\n");
    }

    @Test
    void aClockThatIsSetBackCutsNoLog() throws IOException {
        engine.forgetReaders();
        print("one\n");
        now = now.minusSeconds(3_600);
        takeOver();
        print("two\n");
        engine.forgetReaders();
        takeOver();
        release();
        assertThat(text()).isEqualTo("one\ntwo\n");
    }

    @Test
    void aDiskThatTookNoMoreForAWhileCostsNothing() throws IOException {
        Path bytes = directory.resolve("jobs/1/log.0");
        engine.forgetReaders();
        Files.delete(bytes);
        // Nothing can be written where a directory stands.
        Files.createDirectories(bytes.resolve("in-the-way"));
        takeOver();
        print("one\n");
        assertThat(text()).isEmpty();
        Files.delete(bytes.resolve("in-the-way"));
        Files.delete(bytes);
        release();
        assertThat(text()).isEqualTo("one\n");
    }
}
