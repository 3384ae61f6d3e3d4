package dev.berth.server.log;

import dev.berth.core.api.LogFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.IntPredicate;

/** Finds where the last lines of a log begin, from its end backwards, block by block. For one thread. */
public final class LogTail {
    /** The bytes that the search goes back at most; lines that are longer begin in their middle. */
    public static final long MAX_BYTES = 64L << 20;

    private static final int BLOCK_BYTES = 1 << 16;

    private final LogReader reader;
    private final IntPredicate streams;
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    private final long[] lineStarts = new long[BLOCK_BYTES];
    private int found;
    private long lastByte = -1;

    /** A search among the lines of some streams. */
    public LogTail(LogReader reader, IntPredicate streams) {
        this.reader = reader;
        this.streams = streams;
    }

    /** The offset at which the last so many lines begin; one without an end counts as a line. */
    public long begin(int lines) throws IOException {
        long end = reader.end();
        if (lines == 0) {
            return end;
        }
        long floor = Math.max(reader.start(), end - MAX_BYTES);
        int left = lines;
        for (long to = end; to > floor; ) {
            long from = Math.max(floor, to - BLOCK_BYTES);
            scan(from, to);
            // The last line's own end does not begin another.
            int usable = found > 0 && lineStarts[found - 1] == lastByte + 1 ? found - 1 : found;
            if (usable >= left) {
                return lineStarts[usable - left];
            }
            left -= usable;
            to = from;
        }
        return floor;
    }

    private void scan(long from, long to) throws IOException {
        found = 0;
        long lastHere = -1;
        reader.seek(from);
        while (reader.position() < to) {
            block.clear().limit((int) Math.min(BLOCK_BYTES, to - reader.position()));
            Optional<LogFrame> piece = reader.piece(block);
            if (piece.isEmpty()) {
                break;
            }
            if (streams.test(piece.get().stream())) {
                lastHere = piece.get().end() - 1;
                collect(piece.get());
            }
        }
        lastByte = Math.max(lastByte, lastHere);
    }

    private void collect(LogFrame piece) {
        for (int at = 0; at < piece.length(); at++) {
            if (block.get(at) == '\n') {
                lineStarts[found++] = piece.offset() + at + 1;
            }
        }
    }
}
