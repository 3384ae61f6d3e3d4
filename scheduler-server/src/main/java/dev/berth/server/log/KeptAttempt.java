package dev.berth.server.log;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.EngineCopy.Unkept;
import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What is kept of an attempt, gone through once from the oldest byte on. */
final class KeptAttempt {
    /** The bytes of a line that the engine writes down at once, whole or not (moby, daemon/logger/copier.go). */
    private static final int MESSAGE_BYTES = 1 << 14;

    private static final int ROOM = 1 << 16;

    private KeptAttempt() {}

    /** Takes a piece of one stream. */
    private interface Visitor {
        /**
         * Called piece by piece.
         *
         * @param begin the piece's first byte, counted from the first byte of the stream's that was ever written
         * @return whether to go on
         */
        boolean visit(LogFrame frame, Stream stream, long begin, ByteBuffer piece);
    }

    /** What is known of the engine's copy once all up to there is no longer kept. */
    static EngineCopy dropping(Path directory, EngineCopy copy, WrittenBytes until) throws IOException {
        WrittenBytes[] ascii = {copy.unkept().ascii()};
        visit(directory, copy, until, (_, stream, begin, piece) -> {
            long counted = copy.unkept().until().of(stream);
            long more = ascii(piece, begin, counted, begin + piece.limit());
            for (Gap gap : copy.gaps(stream)) {
                more -= ascii(piece, begin, Math.max(counted, gap.position()), gap.end());
            }
            ascii[0] = ascii[0].plus(stream, more);
            return true;
        });
        return copy.dropping(new Unkept(until, ascii[0]), firstLineMillis(directory, copy, until));
    }

    /** How many of a piece's bytes between two positions are ASCII. */
    private static long ascii(ByteBuffer piece, long begin, long from, long to) {
        long count = 0;
        for (int at = (int) Math.max(0, from - begin); at < Math.min(piece.limit(), to - begin); at++) {
            count += Utf8.isAscii(piece.get(at)) ? 1 : 0;
        }
        return count;
    }

    /**
     * The date at which the first line of either stream was whole, or as much of it as the engine writes down at once; 0
     * where none was up to there.
     */
    static long firstLineMillis(Path directory, EngineCopy copy, WrittenBytes until) throws IOException {
        long[] millis = {copy.lineMillis()};
        if (millis[0] == 0) {
            visit(directory, copy, until, (frame, stream, begin, piece) -> {
                boolean isWhole = endsFirstLine(copy, stream, begin, piece);
                millis[0] = isWhole ? frame.epochMillis() : 0;
                return !isWhole;
            });
        }
        return millis[0];
    }

    /** Whether the first line of those that the engine has is whole with this piece. */
    private static boolean endsFirstLine(EngineCopy copy, Stream stream, long begin, ByteBuffer piece) {
        List<Gap> gaps = copy.gaps(stream);
        long lacking = gaps.stream().mapToLong(Gap::length).sum();
        boolean isWhole = begin + piece.limit() - copy.before().of(stream) - lacking >= MESSAGE_BYTES;
        for (int at = 0; at < piece.limit() && !isWhole; at++) {
            long position = begin + at;
            isWhole = piece.get(at) == '\n'
                    && gaps.stream().noneMatch(gap -> gap.position() <= position && position < gap.end());
        }
        return isWhole;
    }

    private static void visit(Path directory, EngineCopy copy, WrittenBytes until, Visitor visitor) throws IOException {
        ByteBuffer room = ByteBuffer.allocate(ROOM);
        try (LogReader reader = new LogReader(directory, until::total)) {
            WrittenBytes begin = reader.startWritten();
            begin = begin.total() > copy.before().total() ? begin : copy.before();
            reader.seek(begin.total());
            boolean goesOn = true;
            while (goesOn) {
                Optional<LogFrame> frame = reader.piece(room.clear());
                if (frame.isEmpty()) {
                    return;
                }
                Stream stream = Frames.stream(frame.get().stream());
                goesOn = !List.of(Stream.OUT, Stream.ERR).contains(stream)
                        || visitor.visit(frame.get(), stream, begin.of(stream), room.flip());
                begin = begin.plus(stream, frame.get().length());
            }
        }
    }
}
