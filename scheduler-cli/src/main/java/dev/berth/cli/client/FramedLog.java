package dev.berth.cli.client;

import dev.berth.core.api.LogFrame;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import org.jspecify.annotations.Nullable;

/** A job's log as it comes, piece by piece. For one thread. */
public final class FramedLog implements Closeable {
    private final Closeable connection;
    private final InputStream in;
    private final long begin;
    private final long start;
    private final long offset;
    private final byte[] head = new byte[LogFrame.BYTES];
    private final byte[] piece = new byte[LogFrame.MAX_LENGTH];

    FramedLog(Closeable connection, InputStream in, long begin, long start, long offset) {
        this.connection = connection;
        this.in = in;
        this.begin = begin;
        this.start = start;
        this.offset = offset;
    }

    /** The offset in the log at which the attempt begins that was asked for; 0 where none was. */
    long begin() {
        return begin;
    }

    /** The first byte of the log that the server still keeps. */
    long start() {
        return start;
    }

    /** The offset in the log at which this answer begins. */
    long offset() {
        return offset;
    }

    /** Waits for the next piece, which is then in {@link #piece()}; null where the answer is complete. */
    @Nullable
    LogFrame next() throws IOException {
        int count = in.readNBytes(head, 0, head.length);
        if (count == 0) {
            return null;
        }
        LogFrame frame = LogFrame.get(head);
        if (count == head.length && !frame.isPossible()) {
            throw new ProtocolException("not a piece of a log: " + frame);
        }
        if (count < head.length || in.readNBytes(piece, 0, frame.length()) < frame.length()) {
            throw new EOFException("the answer ended in the middle of a piece");
        }
        return frame;
    }

    /** The bytes of the last piece; good until the next one. */
    byte[] piece() {
        return piece;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
