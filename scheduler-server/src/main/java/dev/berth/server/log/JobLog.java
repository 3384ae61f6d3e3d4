package dev.berth.server.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;

/**
 * The log of one job, open for writing. Two files: {@code log} holds the bytes as the program wrote them, both streams
 * in the order of arrival; {@code log.frames} says of each piece which stream, when and how long, so that a replay from
 * the engine can go on exactly where this log ends. Written by one thread at a time.
 */
public final class JobLog implements LogSink, AutoCloseable {
    /** Stream (1 byte), epoch milliseconds (8), length (4). */
    private static final int FRAME_BYTES = 13;

    private final FileChannel bytes;
    private final FileChannel frames;
    private final long maxBytes;
    private final InstantSource clock;
    private final Signal signal;
    private final long[] written = new long[Stream.values().length];
    private final long[] toSkip = new long[Stream.values().length];
    private long size;

    /**
     * Opens a log at the end of what it holds; a piece that was cut off by a crash is dropped, the engine has it still.
     *
     * @param maxBytes how much is kept; what comes after that is dropped, and the log says so
     * @param signal raised when there is more
     */
    JobLog(Path directory, long maxBytes, InstantSource clock, Signal signal) {
        this.maxBytes = maxBytes;
        this.clock = clock;
        this.signal = signal;
        try {
            this.bytes = open(directory.resolve("log"));
            this.frames = open(directory.resolve("log.frames"));
            recount();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private void recount() throws IOException {
        long wholeFrames = frames.size() / FRAME_BYTES;
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES);
        long kept = 0;
        for (; kept < wholeFrames; kept++) {
            frames.read(frame.clear(), kept * FRAME_BYTES);
            int stream = frame.get(0);
            int length = frame.getInt(9);
            // After a power cut a file may end in what nobody wrote.
            boolean isFrame = stream >= 0 && stream < written.length && length >= 0;
            if (!isFrame || size + length > bytes.size()) {
                break;
            }
            written[stream] += length;
            size += length;
        }
        frames.truncate(kept * FRAME_BYTES);
        bytes.truncate(size);
        frames.position(frames.size());
        bytes.position(size);
    }

    /** From now on everything comes again from the program's first byte; what is here already is skipped. */
    void expectReplay() {
        System.arraycopy(written, 0, toSkip, 0, written.length);
    }

    @Override
    public void write(Stream stream, ByteBuffer piece) {
        int skipped = (int) Math.min(toSkip[stream.number()], piece.remaining());
        toSkip[stream.number()] -= skipped;
        piece.position(piece.position() + skipped);
        // Longer than the limit is only a log that says so at its end.
        if (!piece.hasRemaining() || size > maxBytes) {
            return;
        }
        int kept = (int) Math.min(piece.remaining(), maxBytes - size);
        boolean isCut = kept < piece.remaining();
        if (kept > 0) {
            append(stream, piece.slice(piece.position(), kept));
        }
        if (isCut) {
            String notice = "\n[berth: this log has reached its limit of " + maxBytes
                    + " bytes; what the program writes from here on is not kept]\n";
            append(Stream.ERR, ByteBuffer.wrap(notice.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private void append(Stream stream, ByteBuffer piece) {
        int length = piece.remaining();
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES)
                .put((byte) stream.number())
                .putLong(clock.instant().toEpochMilli())
                .putInt(length)
                .flip();
        try {
            while (piece.hasRemaining()) {
                bytes.write(piece);
            }
            while (frame.hasRemaining()) {
                frames.write(frame);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        written[stream.number()] += length;
        size += length;
        signal.raise();
    }

    @Override
    public void close() {
        try (bytes;
                frames) {
            signal.raise();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
