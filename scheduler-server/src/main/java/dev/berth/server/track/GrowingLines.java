package dev.berth.server.track;

import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.track.source.TrackLines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.function.Consumer;

/**
 * The lines of a file that grows. Only whole lines are given, until the file is known to grow no more; one that is too long is
 * left out, however long it is, in the memory of one piece. For one thread.
 */
final class GrowingLines {
    /** Holds the longest line. */
    private static final int PIECE_BYTES = 4 * TrackLines.MAX_LINE;

    private static final byte LINE_FEED = '\n';

    private final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    private final Consumer<ByteBuffer> lines;
    private final Runnable tooLong;

    /**
     * Lines that go there.
     *
     * @param lines takes the bytes of a line without its line feed, which are overwritten afterwards
     * @param tooLong hears of each line that is left out
     */
    GrowingLines(Consumer<ByteBuffer> lines, Runnable tooLong) {
        this.lines = lines;
        this.tooLong = tooLong;
    }

    /**
     * Reads from a position on.
     *
     * @param most how many bytes at the most, but for one piece
     * @param isWhole whether the file grows no more, so that its last line may lack its end
     * @return up to where the lines were read
     */
    Position read(SeekableByteChannel channel, Position from, long most, boolean isWhole) throws IOException {
        Position now = from;
        while (now.bytes() - from.bytes() < most) {
            fill(channel, now.bytes());
            Position next = take(now, isWhole && piece.remaining() < PIECE_BYTES);
            if (next.equals(now)) {
                return now;
            }
            now = next;
        }
        return now;
    }

    private void fill(SeekableByteChannel channel, long position) throws IOException {
        piece.clear();
        channel.position(position);
        while (piece.hasRemaining() && channel.read(piece) > 0) {
            // Until it is full or the file ends.
        }
        piece.flip();
    }

    private Position take(Position from, boolean isEnd) {
        boolean isSkipping = from.isSkipping();
        int begin = 0;
        int all = piece.limit();
        for (int end = lineFeed(begin); end < all; end = lineFeed(begin)) {
            if (!isSkipping) {
                line(begin, end);
            }
            isSkipping = false;
            begin = end + 1;
        }
        boolean isRestTooLong = all - begin > TrackLines.MAX_LINE;
        if (isSkipping || isRestTooLong) {
            if (!isSkipping) {
                tooLong.run();
            }
            return new Position(from.bytes() + all, true, false);
        }
        if (isEnd && begin < all) {
            line(begin, all);
            begin = all;
        }
        return new Position(from.bytes() + begin, false, false);
    }

    private int lineFeed(int from) {
        int at = from;
        while (at < piece.limit() && piece.get(at) != LINE_FEED) {
            at++;
        }
        return at;
    }

    private void line(int begin, int end) {
        if (end - begin > TrackLines.MAX_LINE) {
            tooLong.run();
        } else {
            lines.accept(piece.slice(begin, end - begin));
        }
    }
}
