package dev.berth.server.linux;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Pieces that one platform thread writes and another one sends on; a few pieces are under way at a time. */
final class Pieces {
    private static final int UNDER_WAY = 4;
    private static final int BYTES = 1 << 16;
    private static final byte[] END = {};

    private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(UNDER_WAY);
    private final BufferedOutputStream stream = new BufferedOutputStream(new Sender(), BYTES);
    private volatile boolean broken;

    /** The stream that the first one writes to; refuses once what it wrote could not be sent. */
    OutputStream stream() {
        return stream;
    }

    /** Nothing more comes of the first one, whatever came of its work. */
    void end() {
        try {
            stream.flush();
        } catch (IOException e) {
            // Told by the one that sends.
        }
        try {
            queue.put(END);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a user's thread", e);
        }
    }

    /** Sends what comes until the end of it; what it could not be sent for. */
    Optional<Exception> sendTo(OutputStream out) throws InterruptedException {
        Optional<Exception> why = Optional.empty();
        for (byte[] piece = queue.take(); piece.length > 0; piece = queue.take()) {
            try {
                if (!broken) {
                    out.write(piece);
                }
            } catch (IOException | RuntimeException e) {
                broken = true;
                why = Optional.of(e);
            }
        }
        return why;
    }

    private final class Sender extends OutputStream {
        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            if (broken) {
                throw new IOException("what was written cannot be sent on");
            }
            try {
                if (count > 0) {
                    queue.put(Arrays.copyOfRange(bytes, from, from + count));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }
    }
}
