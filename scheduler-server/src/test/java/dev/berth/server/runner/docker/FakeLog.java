package dev.berth.server.runner.docker;

import dev.berth.server.log.LogSink;
import dev.berth.server.log.LogSink.Stream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The output of a fake container: what attached readers hear at once, as it is written, and the engine's own copy of it,
 * as Docker's json-file driver makes it. Of each stream whole lines go into that, longer ones in pieces of 16 KiB, and
 * what is no UTF-8 as U+FFFD. Guarded by its engine's lock.
 */
final class FakeLog {
    private static final int MESSAGE_BYTES = 1 << 14;
    /** As docker-java reads them (FramedInputStreamConsumer). */
    private static final int READ_BYTES = 1 << 10;

    /** The date before a message that is asked for with its time. */
    private static final int TIME_BYTES = 31;

    private static final byte[] REPLACEMENT = "\uFFFD".getBytes(StandardCharsets.UTF_8);

    /** A piece of output as a reader gets it. */
    record Piece(Instant at, Stream stream, ByteBuffer bytes) {}

    private final InstantSource clock;
    private final List<Piece> copy = new ArrayList<>();
    private final Map<Stream, ByteArrayOutputStream> unfinished = new EnumMap<>(Stream.class);
    private final List<Reader> attached = new ArrayList<>();
    private final List<Reader> following = new ArrayList<>();

    FakeLog(InstantSource clock) {
        this.clock = clock;
    }

    /** The engine reads what the program writes; who listens hears of it once what is answered is run. */
    Runnable write(Stream stream, byte[] bytes) {
        List<Piece> messages = messages(stream, bytes);
        copy.addAll(messages);
        Piece piece = new Piece(clock.instant(), stream, ByteBuffer.wrap(bytes));
        return () -> {
            attached.forEach(reader -> reader.hear(piece));
            following.forEach(reader -> messages.forEach(reader::hear));
        };
    }

    private List<Piece> messages(Stream stream, byte[] bytes) {
        ByteArrayOutputStream line = unfinished.computeIfAbsent(stream, _ -> new ByteArrayOutputStream());
        List<Piece> messages = new ArrayList<>();
        for (byte each : bytes) {
            line.write(each);
            if (each == '\n' || line.size() == MESSAGE_BYTES) {
                messages.add(message(stream, line));
            }
        }
        return messages;
    }

    private Piece message(Stream stream, ByteArrayOutputStream line) {
        Piece message = new Piece(clock.instant(), stream, ByteBuffer.wrap(encoded(line.toByteArray())));
        line.reset();
        return message;
    }

    /** Each byte that begins no character becomes a U+FFFD of its own; Java's decoder takes several together. */
    static byte[] encoded(byte[] raw) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        ByteBuffer left = ByteBuffer.wrap(raw);
        CharBuffer room = CharBuffer.allocate(raw.length + 1);
        while (left.hasRemaining()) {
            int from = left.position();
            CoderResult result = decoder.reset().decode(left, room.clear(), true);
            encoded.write(raw, from, left.position() - from);
            if (result.isError()) {
                encoded.writeBytes(REPLACEMENT);
                left.position(left.position() + 1);
            }
        }
        return encoded.toByteArray();
    }

    /** The program has ended, and with it its lines. */
    void end() {
        for (Stream stream : List.of(Stream.OUT, Stream.ERR)) {
            ByteArrayOutputStream line = unfinished.get(stream);
            if (line != null && line.size() > 0) {
                Piece last = message(stream, line);
                copy.add(last);
                following.forEach(reader -> reader.hear(last));
            }
        }
        readers().forEach(Reader::end);
    }

    private List<Reader> readers() {
        List<Reader> readers = new ArrayList<>(attached);
        readers.addAll(following);
        return readers;
    }

    void forgetReaders() {
        attached.clear();
        following.clear();
    }

    void cutReaders() {
        readers().forEach(Reader::end);
        forgetReaders();
    }

    /**
     * The engine is killed: lines that are not whole have not come into its copy.
     *
     * @param messages how many of the last messages have not either
     */
    void lose(int messages) {
        unfinished.clear();
        for (int lost = 0; lost < messages && !copy.isEmpty(); lost++) {
            Piece _ = copy.removeLast();
        }
    }

    boolean isUnfinished() {
        return unfinished.values().stream().anyMatch(line -> line.size() > 0);
    }

    /** The engine's copy has become too long. */
    void cut() {
        copy.clear();
    }

    Optional<LogBegin> begin() {
        return copy.stream().findFirst().map(piece -> {
            int bytes = Math.min(piece.bytes().remaining(), READ_BYTES - TIME_BYTES);
            return new LogBegin(piece.at(), piece.stream(), piece.bytes().slice(0, bytes));
        });
    }

    ContainerLogStream attach(LogSink sink, boolean isOver) {
        return open(sink, isOver, attached);
    }

    ContainerLogStream read(LogSink sink, Instant since, boolean isOver) {
        Reader reader = open(sink, isOver, following);
        copy.stream().filter(piece -> !piece.at().isBefore(since)).forEach(reader::hear);
        return reader;
    }

    private Reader open(LogSink sink, boolean isOver, List<Reader> readers) {
        Reader reader = new Reader(sink, clock);
        if (isOver) {
            reader.end();
        } else {
            readers.add(reader);
        }
        return reader;
    }

    private static final class Reader implements ContainerLogStream {
        private final CountDownLatch ended = new CountDownLatch(1);
        private final LogSink sink;
        private final InstantSource clock;
        private @Nullable Instant endedAt;

        Reader(LogSink sink, InstantSource clock) {
            this.sink = sink;
            this.clock = clock;
        }

        void hear(Piece piece) {
            byte[] bytes = piece.bytes().array();
            for (int from = 0; from < bytes.length; from += READ_BYTES) {
                byte[] part = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + READ_BYTES));
                sink.write(piece.stream(), ByteBuffer.wrap(part));
            }
        }

        void end() {
            endedAt = endedAt == null ? clock.instant() : endedAt;
            ended.countDown();
        }

        @Override
        public boolean awaitEnd(Duration patience) {
            try {
                return ended.await(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        @Override
        public boolean isOpen() {
            return ended.getCount() > 0;
        }

        @Override
        public Optional<Instant> endedAt() {
            return Optional.ofNullable(endedAt);
        }

        @Override
        public void close() {
            end();
        }
    }
}
