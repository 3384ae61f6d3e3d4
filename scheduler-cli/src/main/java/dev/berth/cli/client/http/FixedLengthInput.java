package dev.berth.cli.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** A body whose length was stated; one that ends too early is an error, not an end. */
final class FixedLengthInput extends InputStream {
    private final InputStream in;
    private long left;

    FixedLengthInput(InputStream in, long length) {
        this.in = in;
        this.left = length;
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
        if (left == 0) {
            return -1;
        }
        int count = in.read(target, from, (int) Math.min(length, left));
        if (count < 0) {
            throw new EOFException("the connection ended " + left + " bytes before the answer's end");
        }
        left -= count;
        return count;
    }
}
