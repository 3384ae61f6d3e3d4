package dev.berth.server.http.route;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.LogReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * The answer with all there is of a log, written out in the form that was asked for. The pieces of a log may be as
 * short as a byte, so that they are put together before they are sent. For one thread.
 */
final class LogAnswer {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z' ").withZone(ZoneOffset.UTC);
    private static final int SENT_BYTES = 1 << 16;

    private final LogRequest request;
    private final LogReader reader;
    private final OutputStream out;
    private final byte[] piece = new byte[LogFrame.BYTES + LogFrame.MAX_LENGTH];
    private final boolean[] inLine = new boolean[LogFrame.NOTICE + 1];
    private final byte[] sent = new byte[SENT_BYTES];
    private int filled;
    private long stampedMillis = Long.MIN_VALUE;
    private byte[] stamp = {};

    LogAnswer(LogRequest request, LogReader reader, OutputStream out) {
        this.request = request;
        this.reader = reader;
        this.out = out;
    }

    /** Copies all that is there now. */
    void copy() throws IOException {
        if (request.isPlain()) {
            copyBytes();
        } else {
            copyPieces();
            send();
        }
        out.flush();
    }

    private void copyBytes() throws IOException {
        ByteBuffer room = ByteBuffer.wrap(piece);
        while (reader.read(room.clear()) > 0) {
            out.write(piece, 0, room.position());
        }
    }

    private void copyPieces() throws IOException {
        ByteBuffer room = ByteBuffer.wrap(piece);
        for (Optional<LogFrame> next = reader.piece(room.clear().position(LogFrame.BYTES));
                next.isPresent();
                next = reader.piece(room.clear().position(LogFrame.BYTES))) {
            LogFrame frame = next.get();
            if (!request.which().takes(frame.stream())) {
                continue;
            }
            if (request.frames()) {
                frame.put(piece);
                put(piece, 0, LogFrame.BYTES + frame.length());
            } else if (request.timestamps()) {
                stamp(frame);
            } else {
                put(piece, LogFrame.BYTES, frame.length());
            }
        }
    }

    /** Each stream has its own lines: what interrupts a line of the other begins one of its own. */
    private void stamp(LogFrame frame) throws IOException {
        int end = LogFrame.BYTES + frame.length();
        for (int from = LogFrame.BYTES; from < end; ) {
            int to = from;
            while (to < end && piece[to] != '\n') {
                to++;
            }
            boolean ends = to < end;
            if (!inLine[frame.stream()]) {
                byte[] time = time(frame.epochMillis());
                put(time, 0, time.length);
            }
            put(piece, from, (ends ? to + 1 : to) - from);
            inLine[frame.stream()] = !ends;
            from = to + 1;
        }
    }

    /** Many lines come in the same millisecond. */
    private byte[] time(long epochMillis) {
        if (epochMillis != stampedMillis) {
            stampedMillis = epochMillis;
            stamp = TIME.format(Instant.ofEpochMilli(epochMillis)).getBytes(StandardCharsets.US_ASCII);
        }
        return stamp;
    }

    private void put(byte[] source, int from, int length) throws IOException {
        if (filled + length > sent.length) {
            send();
        }
        if (length > sent.length) {
            out.write(source, from, length);
        } else {
            System.arraycopy(source, from, sent, filled, length);
            filled += length;
        }
    }

    private void send() throws IOException {
        out.write(sent, 0, filled);
        filled = 0;
    }
}
