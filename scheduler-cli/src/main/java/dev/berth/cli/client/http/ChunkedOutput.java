package dev.berth.cli.client.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Sends a body of unknown length in chunks. {@link #finish} sends the last one; without it the server drops it all. */
final class ChunkedOutput extends OutputStream {
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final byte[] LINE_END = {'\r', '\n'};

    private final OutputStream out;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private int length;

    ChunkedOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int from, int count) throws IOException {
        int done = 0;
        while (done < count) {
            if (length == CHUNK_BYTES) {
                send();
            }
            int part = Math.min(count - done, CHUNK_BYTES - length);
            System.arraycopy(source, from + done, chunk, length, part);
            length += part;
            done += part;
        }
    }

    private void send() throws IOException {
        if (length > 0) {
            out.write(Integer.toHexString(length).getBytes(StandardCharsets.US_ASCII));
            out.write(LINE_END);
            out.write(chunk, 0, length);
            out.write(LINE_END);
            length = 0;
        }
    }

    void finish() throws IOException {
        send();
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }
}
