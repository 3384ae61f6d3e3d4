package dev.berth.server.log;

import dev.berth.core.api.LogFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Looks for a text in the lines of a log, from where its reader stands, in a bounded part of it: as much as takes some tenths of a
 * second. It holds no line, however long. Each stream has its own lines; one that is cut where a part ends counts in both. For one
 * thread.
 */
public final class LogSearch {
    /** The bytes that a text may take. */
    public static final int MAX_TEXT_BYTES = 800;

    private static final int PIECE_BYTES = 1 << 16;

    private final LogReader reader;
    private final IntPredicate streams;
    private final int limit;
    private final Bounds bounds;
    private final Line[] lines;
    private final List<Found> found = new ArrayList<>();
    private long end;
    private boolean isAtEnd;

    /**
     * How much is looked at.
     *
     * @param bytes behind which it stops at the next end of a line
     * @param most behind which it stops, wherever that is
     * @param pieces which may be as short as a byte each
     */
    record Bounds(long bytes, long most, int pieces) {
        static final Bounds USUAL = new Bounds(64L << 20, 72L << 20, 400_000);
    }

    /**
     * A line that has the text.
     *
     * @param offset where it begins
     * @param epochMillis when its first bytes arrived
     */
    public record Found(long offset, long epochMillis, int stream, String text) {}

    private static final class Line {
        private final SearchedLine bytes;
        private long offset = -1;
        private long epochMillis;

        private Line(SoughtText text) {
            bytes = new SearchedLine(text);
        }
    }

    /** A search among the lines of some streams that stops when it has found so many. */
    public LogSearch(LogReader reader, IntPredicate streams, SoughtText text, int limit) {
        this(reader, streams, text, limit, Bounds.USUAL);
    }

    LogSearch(LogReader reader, IntPredicate streams, SoughtText text, int limit, Bounds bounds) {
        this.reader = reader;
        this.streams = streams;
        this.limit = limit;
        this.bounds = bounds;
        this.lines = new Line[LogFrame.NOTICE + 1];
        for (int stream = 0; stream < lines.length; stream++) {
            lines[stream] = new Line(text);
        }
    }

    /** Looks, once; the lines that have the text, in the order in which they begin. */
    public List<Found> find() throws IOException {
        ByteBuffer room = ByteBuffer.allocate(PIECE_BYTES);
        long begin = reader.position();
        end = begin;
        boolean isDone = false;
        for (int pieces = 0; !isDone; pieces++) {
            Optional<LogFrame> piece = piece(room.clear());
            if (piece.isEmpty()) {
                isAtEnd = true;
                break;
            }
            end = piece.get().end();
            isDone = (streams.test(piece.get().stream()) && isEnough(piece.get(), room, begin))
                    || end - begin >= bounds.most()
                    || pieces >= bounds.pieces();
        }
        for (int stream = 0; stream < lines.length; stream++) {
            end(stream);
        }
        found.sort(Comparator.comparingLong(Found::offset));
        return List.copyOf(found);
    }

    /** The oldest part of a log may go while it is read. */
    private Optional<LogFrame> piece(ByteBuffer room) throws IOException {
        try {
            return reader.piece(room);
        } catch (OvertakenException e) {
            for (Line line : lines) {
                line.offset = -1;
                line.bytes.clear();
            }
            reader.seek(reader.start());
            return reader.piece(room.clear());
        }
    }

    /** Looks through a piece; whether it is to stop, at {@link #end}. */
    private boolean isEnough(LogFrame piece, ByteBuffer room, long begin) {
        Line line = lines[piece.stream()];
        for (int at = 0; at < piece.length(); at++) {
            byte value = room.get(at);
            if (line.offset < 0) {
                line.offset = piece.offset() + at;
                line.epochMillis = piece.epochMillis();
            }
            if (value == '\n') {
                end(piece.stream());
                long behind = piece.offset() + at + 1;
                if (found.size() >= limit || behind - begin >= bounds.bytes()) {
                    end = behind;
                    return true;
                }
            } else {
                line.bytes.take(value);
            }
        }
        return false;
    }

    private void end(int stream) {
        Line line = lines[stream];
        if (line.bytes.isFound()) {
            found.add(new Found(line.offset, line.epochMillis, stream, line.bytes.excerpt()));
        }
        line.offset = -1;
        line.bytes.clear();
    }

    /** Where to go on: behind the last byte that was looked at. */
    public long end() {
        return end;
    }

    /** Whether there was no more. */
    public boolean isAtEnd() {
        return isAtEnd;
    }
}
