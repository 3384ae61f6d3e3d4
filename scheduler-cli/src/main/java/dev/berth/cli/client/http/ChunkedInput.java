package dev.berth.cli.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;

/** A chunked body, RFC 9112 section 7.1; one that ends before its last chunk is an error, not an end. */
final class ChunkedInput extends InputStream {
    private static final int HEXADECIMAL = 16;

    private final InputStream in;
    private long left;
    private boolean first = true;
    private boolean ended;

    ChunkedInput(InputStream in) {
        this.in = in;
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
        if (left == 0 && !ended) {
            nextChunk();
        }
        if (ended) {
            return -1;
        }
        int count = in.read(target, from, (int) Math.min(length, left));
        if (count < 0) {
            throw new EOFException("the connection ended in the middle of an answer");
        }
        left -= count;
        return count;
    }

    private void nextChunk() throws IOException {
        if (!first && !HttpHead.line(in).isEmpty()) {
            throw new ProtocolException("a chunk is longer than it said");
        }
        first = false;
        String line = HttpHead.line(in);
        int extension = line.indexOf(';');
        left = HttpHead.number((extension < 0 ? line : line.substring(0, extension)).strip(), HEXADECIMAL);
        if (left == 0) {
            ended = true;
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
