package dev.berth.server.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.JobId;
import dev.berth.core.job.Submitter;
import dev.berth.core.machine.Recovery.Condition;
import dev.berth.core.machine.Recovery.Found;
import dev.berth.server.container.ContainerEngine.ExitListener;
import dev.berth.server.container.EngineException.Kind;
import dev.berth.server.log.LogSink;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every container engine does, the real one and the fake alike. */
abstract class ContainerEngineContract {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofSeconds(10);

    /** Programs that both engines know how to run. */
    static final List<String> RUNS_ON = List.of("sleep", "1000");

    static final List<String> ENDS_WITH_3 = List.of("sh", "-c", "exit 3");
    static final List<String> WRITES = List.of("sh", "-c", "echo out; echo err >&2; printf last");

    private record Exit(JobId job, int attempt, int exitCode, boolean outOfMemory, Instant at) {}

    /** Both streams of a program. */
    private static final class Heard implements LogSink {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();

        @Override
        public synchronized void write(Stream stream, ByteBuffer bytes) {
            byte[] piece = new byte[bytes.remaining()];
            bytes.get(piece);
            (stream == Stream.OUT ? out : err).writeBytes(piece);
        }

        synchronized String text(Stream stream) {
            return (stream == Stream.OUT ? out : err).toString(StandardCharsets.UTF_8);
        }
    }

    private final ContainerNames names =
            new ContainerNames("t" + UUID.randomUUID().toString().substring(0, 7));
    private final BlockingQueue<Exit> exits = new LinkedBlockingQueue<>();
    private ContainerEngine engine;

    /** A new connection to the engine. */
    abstract ContainerEngine connect();

    /** An image that is on the machine. */
    abstract String image();

    @BeforeEach
    void connectOnce() {
        engine = connect();
    }

    @AfterEach
    void leaveNothingBehind() {
        for (Found found : engine.list(names.server())) {
            String name = names.of(found.job(), found.attempt());
            engine.stop(name, Duration.ZERO);
            engine.remove(name);
        }
        assertThat(engine.list(names.server())).isEmpty();
        engine.close();
    }

    private String create(long job, List<String> command) {
        return create(new JobId(job), command, "runc");
    }

    private String create(JobId job, List<String> command, String runtime) {
        String name = names.of(job, 1);
        engine.create(new ContainerPlan(
                name,
                engine.findImage(image()).orElseThrow(),
                command,
                new Submitter(65_534, 65_534, List.of(), "nobody"),
                Map.of("PATH", "/usr/bin:/bin"),
                List.of("CUDA_VISIBLE_DEVICES"),
                runtime,
                List.of(),
                "/tmp",
                new ContainerPlan.Limits(1L << 26, 256, 1L << 20),
                names.labels(job, 1)));
        return name;
    }

    private AutoCloseable watch() {
        return engine.watch(names.server(), new ExitListener() {
            @Override
            public void exited(JobId job, int attempt, int exitCode, boolean outOfMemory, Instant at) {
                exits.add(new Exit(job, attempt, exitCode, outOfMemory, at));
            }

            @Override
            public void resumed() {
                // These tests break no connection.
            }
        });
    }

    private Exit nextExit() throws InterruptedException {
        Exit exit = exits.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(exit).as("an exit within %s", PATIENCE).isNotNull();
        return exit;
    }

    @Test
    void createdContainerHasNotRun() {
        String name = create(1, RUNS_ON);
        assertThat(engine.inspect(name)).contains(new Condition.Created());
        assertThat(engine.list(names.server())).containsExactly(new Found(new JobId(1), 1, new Condition.Created()));
    }

    @Test
    void createTwiceIsOneContainer() {
        create(1, RUNS_ON);
        create(1, RUNS_ON);
        assertThat(engine.list(names.server())).hasSize(1);
    }

    @Test
    void startTwiceIsOneStart() {
        String name = create(1, RUNS_ON);
        engine.start(name);
        Condition first = engine.inspect(name).orElseThrow();
        engine.start(name);
        assertThat(first).isInstanceOf(Condition.Alive.class);
        assertThat(engine.inspect(name)).contains(first);
    }

    @Test
    void exitIsToldWithItsCode() throws Exception {
        try (AutoCloseable _ = watch()) {
            engine.start(create(7, ENDS_WITH_3));
            Exit exit = nextExit();
            assertThat(exit.job()).isEqualTo(new JobId(7));
            assertThat(exit.attempt()).isEqualTo(1);
            assertThat(exit.exitCode()).isEqualTo(3);
            assertThat(exit.outOfMemory()).isFalse();
        }
    }

    @Test
    void exitedContainerKeepsItsCodeAndItsTime() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(7, ENDS_WITH_3);
            engine.start(name);
            Exit exit = nextExit();
            assertThat(engine.inspect(name)).hasValueSatisfying(condition -> {
                assertThat(condition).isInstanceOf(Condition.Exited.class);
                Condition.Exited exited = (Condition.Exited) condition;
                assertThat(exited.exitCode()).isEqualTo(3);
                assertThat(Duration.between(exited.endedAt(), exit.at()).abs()).isLessThan(Duration.ofSeconds(10));
            });
        }
    }

    @Test
    void stopEndsTheProgramAndIsTold() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, RUNS_ON);
            engine.start(name);
            engine.stop(name, GRACE);
            assertThat(engine.inspect(name).orElseThrow()).isInstanceOf(Condition.Exited.class);
            assertThat(nextExit().exitCode()).isEqualTo(143);
        }
    }

    @Test
    void stopOfWhatDoesNotRunDoesNothing() {
        engine.stop(names.of(new JobId(99), 1), GRACE);
        String name = create(1, RUNS_ON);
        engine.stop(name, GRACE);
        assertThat(engine.inspect(name)).contains(new Condition.Created());
    }

    @Test
    void removeTwiceIsOneRemoval() {
        String name = create(1, RUNS_ON);
        engine.remove(name);
        engine.remove(name);
        assertThat(engine.inspect(name)).isEmpty();
    }

    @Test
    void runningContainerIsNotRemoved() {
        String name = create(1, RUNS_ON);
        engine.start(name);
        assertThatThrownBy(() -> engine.remove(name)).isInstanceOf(EngineException.class);
        assertThat(engine.inspect(name).orElseThrow()).isInstanceOf(Condition.Alive.class);
    }

    @Test
    void startOfWhatIsNotThereIsNotFound() {
        assertThatThrownBy(() -> engine.start(names.of(new JobId(99), 1)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }

    @Test
    void unknownImageIsAbsent() {
        assertThat(engine.findImage("berth.invalid/no-such-image:1")).isEmpty();
        assertThat(engine.findImage(image())).isPresent();
    }

    @Test
    void pullOfWhatIsNowhereIsRefused() {
        assertThatThrownBy(() -> engine.pull("berth.invalid/no-such-image:1", _ -> true))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
    }

    @Test
    void attachHearsEverythingFromTheStart() {
        String name = create(1, WRITES);
        Heard heard = new Heard();
        try (LogStream stream = engine.attach(name, heard)) {
            engine.start(name);
            assertThat(stream.awaitEnd(PATIENCE)).isTrue();
        }
        assertThat(heard.text(LogSink.Stream.OUT)).isEqualTo("out\nlast");
        assertThat(heard.text(LogSink.Stream.ERR)).isEqualTo("err\n");
    }

    @Test
    void replayHearsTheSameAsAttach() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, WRITES);
            engine.start(name);
            assertThat(nextExit().exitCode()).isZero();
            Heard heard = new Heard();
            try (LogStream stream = engine.readLog(name, heard)) {
                assertThat(stream.awaitEnd(PATIENCE)).isTrue();
            }
            assertThat(heard.text(LogSink.Stream.OUT)).isEqualTo("out\nlast");
            assertThat(heard.text(LogSink.Stream.ERR)).isEqualTo("err\n");
        }
    }

    @Test
    void aLogCanBeReadFromALaterTimeOn() throws Exception {
        try (AutoCloseable _ = watch()) {
            String name = create(1, WRITES);
            assertThat(engine.logBegins(name)).isEmpty();
            engine.start(name);
            assertThat(nextExit().exitCode()).isZero();
            Instant begin = engine.logBegins(name).orElseThrow();
            Heard all = new Heard();
            Heard none = new Heard();
            try (LogStream stream = engine.readLogSince(name, begin, all);
                    LogStream later = engine.readLogSince(name, begin.plusSeconds(100), none)) {
                assertThat(stream.awaitEnd(PATIENCE)).isTrue();
                assertThat(later.awaitEnd(PATIENCE)).isTrue();
            }
            assertThat(all.text(LogSink.Stream.OUT)).isEqualTo("out\nlast");
            assertThat(none.text(LogSink.Stream.OUT)).isEmpty();
        }
    }

    @Test
    void otherServersContainersAreNotListed() {
        create(1, RUNS_ON);
        assertThat(engine.list("another")).isEmpty();
    }
}
