package dev.berth.server.log;

import java.nio.ByteBuffer;

/**
 * One stream of the engine's copy, which comes in pieces that may end within a U+FFFD: the part of it stays behind until
 * its rest has come. If it were kept alone, the next replay could take it for a byte that the program wrote. The copy is
 * JSON, so a rest always comes, unless the stream breaks; then the next replay brings all of it. For one thread.
 */
final class WholeReplacements {
    private int begun;

    /**
     * Takes the next piece.
     *
     * @return what can be kept now: the part that stayed behind, and the piece without a part at its end
     */
    ByteBuffer next(ByteBuffer piece) {
        ByteBuffer all = ByteBuffer.allocate(begun + piece.remaining());
        for (int at = 0; at < begun; at++) {
            all.put((byte) Utf8.REPLACEMENT[at]);
        }
        all.put(piece).flip();
        begun = Utf8.begunReplacement(all, all.limit());
        return all.limit(all.limit() - begun);
    }
}
