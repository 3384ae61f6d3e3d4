package dev.berth.cli.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;

/** A body of a stated length or in chunks (RFC 9112 section 7.1); one that ends too early is an error, not an end. */
final class BodyInput extends InputStream {
    private static final int HEXADECIMAL = 16;

    private final InputStream in;

    /** The bytes left of the piece that is read, and whether no other follows it. */
    private long left;

    private boolean isLast;
    private boolean isFirst;

    private BodyInput(InputStream in, long left, boolean isLast) {
        this.in = in;
        this.left = left;
        this.isLast = isLast;
        this.isFirst = !isLast;
    }

    static BodyInput ofLength(InputStream in, long length) {
        return new BodyInput(in, length, true);
    }

    static BodyInput inChunks(InputStream in) {
        return new BodyInput(in, 0, false);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (left == 0 && !isLast) {
            nextChunk();
        }
        if (left == 0) {
            return -1;
        }
        int count = in.read(target, from, (int) Math.min(length, left));
        if (count < 0) {
            throw new EOFException(
                    isLast
                            ? "the connection ended " + left + " bytes before the answer's end"
                            : "the connection ended in the middle of an answer");
        }
        left -= count;
        return count;
    }

    private void nextChunk() throws IOException {
        if (!isFirst && !HttpHead.line(in).isEmpty()) {
            throw new ProtocolException("a chunk is longer than it said");
        }
        isFirst = false;
        String line = HttpHead.line(in);
        int extension = line.indexOf(';');
        left = HttpHead.number((extension < 0 ? line : line.substring(0, extension)).strip(), HEXADECIMAL);
        if (left == 0) {
            isLast = true;
            skipTrailers();
        }
    }

    private void skipTrailers() throws IOException {
        String trailer = HttpHead.line(in);
        while (!trailer.isEmpty()) {
            trailer = HttpHead.line(in);
        }
    }
}
