package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.LogFrame;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.runner.docker.ContainerEngine.ContainerListener;
import dev.berth.server.runner.docker.engine.DockerContainerEngine;
import dev.berth.server.time.Clocks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a log as a real engine and its copy of them give them, while servers come and go. */
class LogBytesOnDockerTest {
    private static final int PIECES = 120;
    private static final long MAX_BYTES = 1 << 26;

    /** A record a piece: stream, milliseconds to wait before it, length. */
    private static final String PROGRAM = """
            import os, struct, time
            with open("/data/plan", "rb") as plan:
                while head := plan.read(7):
                    stream, pause, length = struct.unpack(">BHI", head)
                    piece = plan.read(length)
                    time.sleep(pause / 1000)
                    while piece:
                        piece = piece[os.write(stream + 1, piece):]
            """;

    @TempDir
    private Path directory;

    private final Map<Stream, WrittenOutput> written = new EnumMap<>(Stream.class);
    private final BlockingQueue<Attempt> ends = new LinkedBlockingQueue<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void everyByteIsKeptOnce(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path plan = Files.write(data.resolve("plan"), plan(random));
        Files.setPosixFilePermissions(plan, PosixFilePermissions.fromString("rw-r--r--"));
        Clocks clocks = Clocks.neverSet(InstantSource.system());
        String server = "t" + UUID.randomUUID().toString().substring(0, 7);
        try (ContainerEngine engine = new DockerContainerEngine(clocks);
                AutoCloseable _ = engine.watch(server, new Ends())) {
            LoggedProgram program = new LoggedProgram(server, engine, directory, clocks, MAX_BYTES);
            program.start(
                    Objects.requireNonNullElse(System.getenv("BERTH_TEST_IMAGE"), "berth-job:latest"),
                    List.of("python3", "-c", PROGRAM),
                    List.of(new ContainerPlan.Mount(data, "/data", true)));
            comeAndGo(program, random);
            program.finish();
            assertKept(program, LogFrame.STDOUT, Stream.OUT);
            assertKept(program, LogFrame.STDERR, Stream.ERR);
            String said = new String(program.kept(LogFrame.NOTICE), StandardCharsets.UTF_8).strip();
            assertThat(said).as("what Berth itself wrote: %s", said).isEmpty();
        }
    }

    private byte[] plan(SplittableRandom random) throws IOException {
        ByteArrayOutputStream plan = new ByteArrayOutputStream();
        for (Stream stream : List.of(Stream.OUT, Stream.ERR)) {
            written.put(stream, new WrittenOutput());
        }
        List<RandomOutput> outputs = List.of(new RandomOutput(random.split()), new RandomOutput(random.split()));
        for (int count = 0; count < PIECES; count++) {
            int stream = random.nextInt(2);
            byte[] piece = outputs.get(stream).next();
            int pause = random.nextInt(6) == 0 ? random.nextInt(150) : 0;
            plan.write(ByteBuffer.allocate(7)
                    .put((byte) stream)
                    .putShort((short) pause)
                    .putInt(piece.length)
                    .array());
            plan.write(piece);
            written(stream == 0 ? Stream.OUT : Stream.ERR).write(piece, false);
        }
        return plan.toByteArray();
    }

    /** Servers follow one another, and streams of one break, until the program has ended. */
    private void comeAndGo(LoggedProgram program, SplittableRandom random) throws InterruptedException {
        Instant limit = Instant.now().plus(Duration.ofMinutes(1));
        while (ends.poll(random.nextInt(400), TimeUnit.MILLISECONDS) == null) {
            assertThat(Instant.now()).as("the program ends").isBefore(limit);
            if (random.nextBoolean()) {
                program.leave();
                program.startServer();
            }
            program.listenAgain();
        }
    }

    private WrittenOutput written(Stream stream) {
        return Objects.requireNonNull(written.get(stream));
    }

    private void assertKept(LoggedProgram program, int number, Stream stream) {
        byte[] kept = program.kept(number);
        assertThat(written(stream).disagreement(kept, true))
                .as(
                        "%s of %d bytes, of which %d are kept",
                        stream, written(stream).size(), kept.length)
                .isEqualTo(-1);
    }

    private final class Ends implements ContainerListener {
        @Override
        public void started(Attempt attempt, Instant at) {
            // It is asked for its end alone.
        }

        @Override
        public void exited(Attempt attempt, Condition.Exited end) {
            ends.add(attempt);
        }

        @Override
        public void removed(Attempt attempt) {
            // Nobody removes what runs.
        }

        @Override
        public void unheard(Found container) {
            // The test listens again by itself.
        }

        @Override
        public void resumed() {
            // The engine stays.
        }
    }
}
