package dev.berth.server.log;

import java.nio.ByteBuffer;

/**
 * Stream of a replay: what the log has already is skipped by count, and held against the end of what is kept. Not
 * safe for several threads.
 */
final class Replay {
    static final Replay NONE = new Replay(0, new byte[0]);

    private final long expected;
    private final byte[] tail;
    private long skipped;

    /**
     * A replay that has not begun.
     *
     * @param expected how many bytes it brings again
     * @param tail the last of these, as many as are compared
     */
    Replay(long expected, byte[] tail) {
        this.expected = expected;
        this.tail = tail;
    }

    /** The number of bytes that it has still not brought again. */
    long missing() {
        return expected - skipped;
    }

    /**
     * Moves a piece's position behind what is here already.
     *
     * @return how many bytes that are kept the engine turned out to lack, 0 mostly; then nothing more is skipped
     */
    long skip(ByteBuffer piece) {
        int count = (int) Math.min(missing(), piece.remaining());
        for (int i = 0; i < count; i++) {
            long inTail = skipped - (expected - tail.length);
            if (inTail >= 0 && piece.get(piece.position()) != tail[(int) inTail]) {
                long lacking = missing();
                skipped = expected;
                return lacking;
            }
            piece.position(piece.position() + 1);
            skipped++;
        }
        return 0;
    }
}
