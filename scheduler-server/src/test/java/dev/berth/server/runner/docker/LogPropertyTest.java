package dev.berth.server.runner.docker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.time.Clocks;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a program writes, and however often streams break, servers come and go and engines are killed meanwhile: its
 * log is what it wrote, byte for byte, and says nothing that is not so. {@code -Dberth.test.log.seed=N} plays one again.
 */
class LogPropertyTest {
    private static final String IMAGE = "image:1";
    private static final int SEEDS = Integer.getInteger("berth.test.log.seeds", 150);
    private static final int STEPS = 50;
    private static final int MESSAGE_BYTES = 1 << 14;

    /** How a server hears of what is written. */
    private enum Ear {
        ATTACHED,
        FOLLOWING,
        NONE
    }

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-01-01T08:00:00Z");
    private final FakeContainerEngine engine = new FakeContainerEngine(() -> now, (_, _) -> {}).withImage(IMAGE);
    private final Map<Stream, WrittenOutput> written = new EnumMap<>(Stream.class);
    private final Map<Stream, RandomOutput> output = new EnumMap<>(Stream.class);

    /** Where what is in no message of the engine's yet begins. */
    private final Map<Stream, Integer> unfinished = new EnumMap<>(Stream.class);

    /** The first byte that an engine lost and a server has: what comes next begins otherwise, or nobody could tell. */
    private final Map<Stream, Byte> lostFirst = new EnumMap<>(Stream.class);

    /** The engine's messages in their order, each with its stream and where it begins. */
    private record Message(Stream stream, int begin) {}

    private final List<Message> messages = new ArrayList<>();
    private SplittableRandom random = new SplittableRandom();
    private Ear ear = Ear.ATTACHED;

    static LongStream seeds() {
        Long one = Long.getLong("berth.test.log.seed");
        return one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyByteIsKeptOnce(long seed) {
        random = new SplittableRandom(seed);
        for (Stream stream : List.of(Stream.OUT, Stream.ERR)) {
            written.put(stream, new WrittenOutput());
            output.put(stream, new RandomOutput(random.split()));
            unfinished.put(stream, 0);
        }
        long maxBytes = 1L << (random.nextInt(4) == 0 ? 17 : 24);
        LoggedProgram program = new LoggedProgram("server01", engine, directory, Clocks.neverSet(() -> now), maxBytes);
        program.start(IMAGE, List.of("program"), List.of());
        for (int step = 0; step < STEPS; step++) {
            step(program);
        }
        boolean endsUnseen = random.nextInt(4) == 0;
        if (endsUnseen) {
            killEngine(program);
        }
        now = now.plusSeconds(1);
        engine.end(program.name(), 0);
        if (endsUnseen) {
            now = now.plusSeconds(2);
            engine.beginRun();
        }
        program.finish();
        assertKept(program, LogFrame.STDOUT, Stream.OUT);
        assertKept(program, LogFrame.STDERR, Stream.ERR);
        assertThat(new String(program.kept(LogFrame.NOTICE), UTF_8))
                .as("what Berth says")
                .isEqualTo(
                        endsUnseen
                                ? "\n[berth: the container engine may have been away when this program ended; what the"
                                        + " program wrote last may be missing]\n"
                                : "");
    }

    private void step(LoggedProgram program) {
        switch (random.nextInt(16)) {
            case 0 -> restartServer(program);
            case 1 -> {
                engine.cutStreams(program.name());
                ear = Ear.NONE;
            }
            case 2 -> {
                killEngine(program);
                if (random.nextBoolean()) {
                    listenAgain(program);
                }
            }
            case 3, 4 -> listenAgain(program);
            case 5 -> now = now.plusSeconds(random.nextInt(100));
            default -> print(program, random.nextInt(3) == 0 ? Stream.ERR : Stream.OUT);
        }
    }

    private void print(LoggedProgram program, Stream stream) {
        now = now.plusMillis(random.nextInt(3_000));
        byte[] piece = Objects.requireNonNull(output.get(stream)).next();
        Byte other = lostFirst.remove(stream);
        if (other != null) {
            byte[] told = new byte[piece.length + 1];
            told[0] = (byte) (other == 'A' ? 'B' : 'A');
            System.arraycopy(piece, 0, told, 1, piece.length);
            piece = told;
        }
        engine.print(program.name(), stream, piece);
        int at = written(stream).size();
        written(stream).write(piece, ear == Ear.ATTACHED);
        int begin = unfinished.getOrDefault(stream, 0);
        for (byte each : piece) {
            at++;
            if (each == '\n' || at - begin == MESSAGE_BYTES) {
                messages.add(new Message(stream, begin));
                begin = at;
            }
        }
        unfinished.put(stream, begin);
    }

    private void restartServer(LoggedProgram program) {
        engine.forgetReaders();
        program.leave();
        program.startServer();
        ear = Ear.NONE;
        if (random.nextBoolean()) {
            listenAgain(program);
        }
    }

    private void listenAgain(LoggedProgram program) {
        if (ear == Ear.NONE) {
            program.listenAgain();
            ear = Ear.FOLLOWING;
        }
    }

    /** It writes a message down before it hands it on to those who read its copy; those who are attached are as fast. */
    private void killEngine(LoggedProgram program) {
        engine.cutStreams(program.name());
        int count = ear == Ear.ATTACHED ? Math.min(random.nextInt(3), Math.max(0, messages.size() - 1)) : 0;
        engine.loseLastMessages(program.name(), count);
        Map<Stream, Integer> from = new EnumMap<>(unfinished);
        for (int lost = 0; lost < count; lost++) {
            Message last = messages.removeLast();
            from.put(last.stream(), last.begin());
        }
        from.forEach((stream, begin) -> {
            WrittenOutput all = written(stream);
            if (begin < all.size()) {
                lostFirst.put(stream, all.at(begin));
            }
            all.lose(begin);
            unfinished.put(stream, all.size());
        });
        ear = Ear.NONE;
    }

    private WrittenOutput written(Stream stream) {
        return Objects.requireNonNull(written.get(stream));
    }

    private void assertKept(LoggedProgram program, int number, Stream stream) {
        byte[] kept = program.kept(number);
        assertThat(written(stream).disagreement(kept, program.isWhole()))
                .as(
                        "%s of %d bytes, of which %d are kept",
                        stream, written(stream).size(), kept.length)
                .isEqualTo(-1);
    }
}
