package dev.berth.server.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stream of a replay, which goes through all that is kept of it and skips what is there. The engine writes whole
 * lines, cuts those that are longer than 16 KiB, and such a message comes as a piece, or as several of a KiB; where one is
 * not what is kept, the copy lacks the rest of that, and it is new from its first byte on. For one thread.
 */
final class Replay implements AutoCloseable {
    /** The bytes of the characters of which the engine may have cut one, at the end of a piece. */
    private static final int CUT_BYTES = 9;

    private final KeptStream kept;
    private final List<Gap> gaps;
    private final Places places;

    /** How many ASCII bytes it has still to bring of what is no longer kept. */
    private long unkept;

    private boolean isAligned;
    private boolean isOver;

    /**
     * A replay that has not begun.
     *
     * @param copy what is known of the engine's copy
     */
    Replay(KeptStream kept, EngineCopy copy) throws IOException {
        this.kept = kept;
        this.gaps = copy.gaps(kept.stream());
        long begin = Math.max(kept.start(), copy.unkept().until().of(kept.stream()));
        this.isAligned = begin <= copy.before().of(kept.stream());
        this.unkept = copy.unkept().ascii().of(kept.stream())
                + begin
                - Math.max(
                        copy.before().of(kept.stream()), copy.unkept().until().of(kept.stream()));
        this.places = new Places(kept, gaps, isAligned ? begin : firstAscii(begin));
        endIfDone();
    }

    /** Where the two can be compared: the copy may have other bytes for what is no longer kept, but as many of ASCII. */
    private long firstAscii(long begin) throws IOException {
        Places first = new Places(kept, gaps, begin);
        while (!first.isAtEnd() && !Utf8.isAscii(kept.at(first.latest()))) {
            first.pass(1);
        }
        return first.latest();
    }

    /** Whether all that comes is new. */
    boolean isOver() {
        return isOver;
    }

    /** The number of bytes that are kept and that it has still not brought again. */
    long missing() {
        long missing = kept.end() - places.latest();
        for (Gap gap : gaps) {
            missing -= gap.position() >= places.latest() ? gap.length() : 0;
        }
        return isOver ? 0 : missing;
    }

    /**
     * Moves a piece's position behind what is here already.
     *
     * @return what of that the copy turned out to lack; then nothing more is skipped
     */
    @Nullable
    Gap skip(ByteBuffer piece) throws IOException {
        if (isOver || !isAligned(piece)) {
            return null;
        }
        while (piece.hasRemaining() && !isOver && !places.isAtEnd()) {
            int message = piece.position();
            long place = places.latest();
            if (!follow(piece, lineEnd(piece))) {
                piece.position(message);
                finish();
                return new Gap(kept.stream(), place, kept.end() - place);
            }
        }
        endIfDone();
        return null;
    }

    /** Where the line at the piece's position ends in it. */
    private static int lineEnd(ByteBuffer piece) {
        int end = piece.position();
        while (end < piece.limit() && piece.get(end) != '\n') {
            end++;
        }
        return Math.min(end + 1, piece.limit());
    }

    /** Goes on to the end of a line, or of what is kept; false where it is not the one that is kept. */
    private boolean follow(ByteBuffer piece, int end) throws IOException {
        int cut = piece.get(end - 1) == '\n' ? end : end - CUT_BYTES;
        int next = -1;
        while (piece.position() < end && !places.isAtEnd()) {
            next = places.mayBeAtEnd() ? piece.position() : next;
            if (!pass(piece, cut)) {
                if (!places.take(piece.get(piece.position()) & 0xFF, piece.position() >= cut)) {
                    return isEndAt(piece, next);
                }
                piece.position(piece.position() + 1);
            }
        }
        return true;
    }

    /** Whether all that is kept had come before a byte that could have been the rest of a U+FFFD, and is not. */
    private boolean isEndAt(ByteBuffer piece, int next) throws IOException {
        if (next >= 0) {
            piece.position(next);
            finish();
        }
        return next >= 0;
    }

    /** Goes on over a row of bytes that are the same here and there; false where none is. */
    private boolean pass(ByteBuffer piece, int end) throws IOException {
        if (!places.isPlain() || piece.position() >= end) {
            return false;
        }
        int same = kept.same(places.latest(), piece, Math.min(end - piece.position(), places.room()));
        int sure = same - Utf8.begunReplacement(piece, piece.position() + same); // These are looked at one by one.
        places.pass(sure);
        piece.position(piece.position() + sure);
        return sure > 0;
    }

    private boolean isAligned(ByteBuffer piece) {
        while (!isAligned && piece.hasRemaining()) {
            boolean isAscii = Utf8.isAscii(piece.get(piece.position()));
            isAligned = isAscii && unkept == 0;
            if (!isAligned) {
                unkept -= isAscii ? 1 : 0;
                piece.position(piece.position() + 1);
            }
        }
        return isAligned;
    }

    private void endIfDone() throws IOException {
        if (isAligned && places.isAtEnd()) {
            finish();
        }
    }

    private void finish() throws IOException {
        isOver = true;
        kept.close();
    }

    @Override
    public void close() throws IOException {
        kept.close();
    }
}
