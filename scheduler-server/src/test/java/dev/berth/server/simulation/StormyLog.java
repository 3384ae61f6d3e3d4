package dev.berth.server.simulation;

import dev.berth.server.log.LogSink;
import dev.berth.server.runner.docker.ContainerLogStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A program's output on its way: it may come late, and break off with what was still on its way. */
final class StormyLog implements LogSink, ContainerLogStream {
    private static final int LATE = 3;

    private record Piece(Stream stream, ByteBuffer bytes) {}

    private final LogSink sink;
    private final SplittableRandom random;
    private final Deque<Piece> onItsWay = new ArrayDeque<>();
    private @Nullable ContainerLogStream source;
    private boolean broken;

    StormyLog(LogSink sink, SplittableRandom random) {
        this.sink = sink;
        this.random = random;
    }

    void follows(ContainerLogStream stream) {
        source = stream;
    }

    @Override
    public void write(Stream stream, ByteBuffer bytes) {
        if (!broken) {
            ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
            onItsWay.add(new Piece(stream, copy));
            if (random.nextInt(LATE) != 0) {
                arrive();
            }
        }
    }

    void arrive() {
        for (Piece piece = onItsWay.poll(); piece != null; piece = onItsWay.poll()) {
            sink.write(piece.stream(), piece.bytes());
        }
    }

    void breakOff() {
        broken = true;
        onItsWay.clear();
    }

    @Override
    public boolean awaitEnd(Duration patience) {
        if (broken || source == null) {
            return false;
        }
        arrive();
        return source.awaitEnd(Duration.ZERO);
    }

    @Override
    public boolean isOpen() {
        return !broken && source != null && source.isOpen();
    }

    @Override
    public Optional<Instant> endedAt() {
        return source == null ? Optional.empty() : source.endedAt();
    }

    @Override
    public void close() {
        breakOff();
        if (source != null) {
            source.close();
        }
    }
}
