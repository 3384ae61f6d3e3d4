package dev.berth.server.log;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The bytes of one stream that are kept of an attempt, up to where they end now, read piece by piece from their
 * beginning on. Positions count from the first byte of the stream's that was ever written. For one thread.
 */
final class KeptStream implements AutoCloseable {
    private static final int WINDOW_BYTES = 1 << 16;

    /** How far behind the latest position one may still be asked for. */
    private static final int BEHIND_BYTES = 1 << 10;

    private final byte[] window = new byte[WINDOW_BYTES];
    private final LogReader reader;
    private final Stream stream;
    private final long start;
    private final long end;
    private long from;
    private int held;

    /**
     * Opens it at its beginning.
     *
     * @param before what the log held when the attempt began
     * @param written what it holds now
     */
    KeptStream(Path directory, Stream stream, WrittenBytes before, WrittenBytes written) throws IOException {
        this.stream = stream;
        reader = new LogReader(directory, written::total);
        WrittenBytes first = reader.startWritten();
        start = Math.max(first.of(stream), before.of(stream));
        end = written.of(stream);
        from = first.total() > before.total() ? first.of(stream) : before.of(stream);
        reader.seek(before.total());
    }

    Stream stream() {
        return stream;
    }

    /** The position of the first byte that is kept. */
    long start() {
        return start;
    }

    /** The position behind the last one. */
    long end() {
        return end;
    }

    /** The byte at a position, -1 behind the end. */
    int at(long position) throws IOException {
        if (position >= end) {
            return -1;
        }
        while (position >= from + held) {
            fill(position);
        }
        return window[(int) (position - from)] & 0xFF;
    }

    /** How many bytes from a position on, at most so many, are those of the piece from its position on. */
    int same(long position, ByteBuffer piece, int most) throws IOException {
        if (at(position) < 0) {
            return 0;
        }
        int count = (int) Math.min(Math.min(most, piece.remaining()), Math.min(end, from + held) - position);
        ByteBuffer kept = ByteBuffer.wrap(window, (int) (position - from), count);
        int difference = kept.mismatch(piece.slice(piece.position(), count));
        return difference < 0 ? count : difference;
    }

    private void fill(long position) throws IOException {
        int old = (int) Math.min(position - BEHIND_BYTES - from, held);
        if (old > 0 && (held == WINDOW_BYTES || old == held)) {
            System.arraycopy(window, old, window, 0, held - old);
            from += old;
            held -= old;
        }
        Optional<LogFrame> piece = reader.piece(ByteBuffer.wrap(window, held, WINDOW_BYTES - held));
        if (piece.isEmpty()) {
            throw new IOException("a log ends before what was written into it does");
        }
        if (piece.get().stream() == stream.number()) {
            held += piece.get().length();
        }
        if (from + held >= end) {
            reader.close();
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
