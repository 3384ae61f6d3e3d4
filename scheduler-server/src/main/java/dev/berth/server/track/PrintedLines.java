package dev.berth.server.track;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.LogReader;
import dev.berth.server.log.OvertakenException;
import dev.berth.server.store.track.Reading.Position;
import dev.berth.server.track.source.StdoutLines;
import dev.berth.server.track.source.TrackLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The lines of a program's standard output that are meant for Berth, from a log that grows. Only whole lines are given, until the
 * log is known to grow no more. Lines that are not meant take no memory, however long they are. For one look, on one thread.
 */
final class PrintedLines {
    private static final byte LINE_FEED = '\n';

    private final ByteBuffer piece = ByteBuffer.allocate(LogFrame.MAX_LENGTH);
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final LogReader log;
    private final Listener listener;

    /** What has been read for good: up to there, and whether the line that goes on there is left out. */
    private Position done = Position.START;

    private boolean isSkipping;

    /** Hears of what is read. */
    interface Listener {
        /** A line that is meant, and when its end arrived, in milliseconds since 1970. */
        void line(byte[] bytes, long millis);

        /** A line that is meant and too long. */
        void tooLong();

        /** A line that seems meant, whose end does not come for all that stands in between, such as standard error. */
        void torn();

        /** Some of the log went before it was read. */
        void lost();
    }

    PrintedLines(LogReader log, Listener listener) {
        this.log = log;
        this.listener = listener;
    }

    /**
     * Reads from a position on.
     *
     * @param most how many bytes of the log at the most, but for one piece
     * @param isWhole whether the log grows no more, so that its last line may lack its end
     * @return up to where it was read
     */
    Position read(Position from, long most, boolean isWhole) throws IOException {
        begin(from);
        long end = from.bytes() + most;
        long millis = 0;
        boolean isEnd = false;
        while (log.position() < end && !isEnd) {
            Optional<LogFrame> next = next();
            isEnd = next.isEmpty();
            if (next.isPresent()) {
                millis = next.get().epochMillis();
                take(next.get());
            }
        }
        if (isEnd && isWhole) {
            if (line.size() > 0 && !isSkipping) {
                give(millis);
            }
            done = new Position(Math.max(log.position(), done.bytes()), false, false);
        } else if (!isEnd && done.equals(from)) {
            // The next look would read the same again, and come no further.
            listener.torn();
            line.reset();
            done = new Position(log.position(), true, false);
        }
        return done;
    }

    private void begin(Position from) throws IOException {
        isSkipping = from.isSkipping();
        done = from;
        seek(from.bytes());
    }

    private void seek(long offset) throws IOException {
        log.seek(offset);
        if (log.position() > offset) {
            listener.lost();
            line.reset();
            // It is within a line, or seems so.
            isSkipping = true;
            done = new Position(log.position(), true, false);
        }
    }

    private Optional<LogFrame> next() throws IOException {
        while (true) {
            piece.clear();
            long before = log.position();
            try {
                return log.piece(piece);
            } catch (OvertakenException e) {
                seek(before);
            }
        }
    }

    private void take(LogFrame frame) {
        if (frame.stream() != LogFrame.STDOUT) {
            passed(frame.end());
            return;
        }
        piece.flip();
        for (int at = 0; at < frame.length(); at++) {
            byte letter = piece.get(at);
            if (letter == LINE_FEED) {
                if (!isSkipping) {
                    give(frame.epochMillis());
                }
                isSkipping = false;
                line.reset();
                done = new Position(frame.offset() + at + 1, false, false);
            } else if (!isSkipping) {
                line.write(letter);
                isSkipping = isToSkip();
            }
        }
        passed(frame.end());
    }

    /** What is not part of a line that is kept need not be read again. */
    private void passed(long offset) {
        if (line.size() == 0 || isSkipping) {
            line.reset();
            done = new Position(offset, isSkipping, false);
        }
    }

    /** Whether nothing can come of the line any more. */
    private boolean isToSkip() {
        if (line.size() > TrackLines.MAX_LINE) {
            listener.tooLong();
            return true;
        }
        return line.size() <= StdoutLines.PREFIX_LENGTH && !StdoutLines.mayBeMeant(line.toByteArray());
    }

    private void give(long millis) {
        byte[] bytes = line.toByteArray();
        if (StdoutLines.isMeant(bytes)) {
            listener.line(bytes, millis);
        }
        line.reset();
    }
}
