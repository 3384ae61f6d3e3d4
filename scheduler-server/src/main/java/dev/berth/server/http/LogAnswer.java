package dev.berth.server.http;

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

/** What there is of a log, written out in the form that was asked for, piece by piece. For one thread. */
final class LogAnswer {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z' ").withZone(ZoneOffset.UTC);

    private final LogRequest request;
    private final LogReader reader;
    private final OutputStream out;
    private final byte[] piece = new byte[LogFrame.BYTES + LogFrame.MAX_LENGTH];
    private final boolean[] inLine = new boolean[LogFrame.NOTICE + 1];

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
                out.write(piece, 0, LogFrame.BYTES + frame.length());
            } else if (request.timestamps()) {
                stamp(frame);
            } else {
                out.write(piece, LogFrame.BYTES, frame.length());
            }
        }
    }

    /** Each stream has its own lines: what interrupts a line of the other begins one of its own. */
    private void stamp(LogFrame frame) throws IOException {
        byte[] time = TIME.format(Instant.ofEpochMilli(frame.epochMillis())).getBytes(StandardCharsets.US_ASCII);
        int end = LogFrame.BYTES + frame.length();
        for (int from = LogFrame.BYTES; from < end; ) {
            int to = from;
            while (to < end && piece[to] != '\n') {
                to++;
            }
            boolean ends = to < end;
            if (!inLine[frame.stream()]) {
                out.write(time);
            }
            out.write(piece, from, (ends ? to + 1 : to) - from);
            inLine[frame.stream()] = !ends;
            from = to + 1;
        }
    }
}
