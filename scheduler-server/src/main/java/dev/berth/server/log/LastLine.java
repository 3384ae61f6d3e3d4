package dev.berth.server.log;

import dev.berth.server.log.Frames.Frame;
import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The last line that the last attempt's program wrote to one stream, as far as it stands near the end of the log: a bounded
 * number of pieces is looked at, however long the log is.
 */
final class LastLine {
    private static final int MAX_PIECES = 512;
    private static final int MAX_BYTES = 4_096;

    private final Path directory;
    private final Stream stream;
    private final byte[] tail = new byte[MAX_BYTES];
    private int free = MAX_BYTES;
    private int pieces = MAX_PIECES;

    private LastLine(Path directory, Stream stream) {
        this.directory = directory;
        this.stream = stream;
    }

    /** Empty where there is none but blank ones. */
    static Optional<String> read(Path directory, Stream stream) throws IOException {
        LastLine line = new LastLine(directory, stream);
        line.fill(EngineCopyFile.read(directory).before().total());
        String text = new String(Arrays.copyOfRange(line.tail, line.free, MAX_BYTES), StandardCharsets.UTF_8);
        // A progress bar writes over its line.
        return Arrays.asList(text.split("[\n\r]")).reversed().stream()
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .findFirst();
    }

    /** Fills the tail from its end, with what stands behind that offset of the log. */
    private void fill(long begin) throws IOException {
        List<Segment> segments = Segment.list(directory).reversed();
        for (int at = 0; at < segments.size() && free > 0 && pieces > 0; at++) {
            try (FileChannel frames = FileChannel.open(segments.get(at).frames(), StandardOpenOption.READ);
                    FileChannel bytes = FileChannel.open(segments.get(at).bytes(), StandardOpenOption.READ)) {
                Optional<SegmentHeader> header = SegmentHeader.read(frames);
                if (header.isPresent()) {
                    fill(frames, bytes, begin - header.get().before().total());
                }
            } catch (NoSuchFileException gone) {
                return; // Its turn to go came meanwhile.
            }
        }
    }

    /**
     * Fills it from one segment.
     *
     * @param begin where the attempt begins in it; negative where it began before
     */
    private void fill(FileChannel frames, FileChannel bytes, long begin) throws IOException {
        int count = Frames.count(frames);
        int first = Math.max(0, count - pieces);
        // With the one before, which says where the first begins.
        int from = Math.max(0, first - 1);
        ByteBuffer room = ByteBuffer.allocate((count - from) * Frames.BYTES);
        Frames.read(frames, from, room);
        int read = room.remaining() / Frames.BYTES;
        for (int at = from + read - 1; at >= first && free > 0; at--) {
            int start = at == 0 ? 0 : frame(room, at - 1 - from).end();
            Frame frame = frame(room, at - from);
            pieces--;
            if (frame.end() <= begin) {
                pieces = 0;
                return;
            }
            take(bytes, frame, (int) Math.max(start, begin));
        }
    }

    private static Frame frame(ByteBuffer room, int index) {
        return Frames.frame(room.slice(index * Frames.BYTES, Frames.BYTES));
    }

    /** What a power cut left of a piece that was not whole is passed over. */
    private void take(FileChannel bytes, Frame frame, int start) throws IOException {
        boolean isWhole = frame.stream() == stream.number() && start >= 0 && frame.end() > start;
        if (!isWhole || frame.end() > bytes.size()) {
            return;
        }
        int length = Math.min(free, frame.end() - start);
        ByteBuffer into = ByteBuffer.wrap(tail, free - length, length);
        int at = frame.end() - length;
        while (into.hasRemaining()) {
            int count = bytes.read(into, at);
            if (count < 0) {
                return;
            }
            at += count;
        }
        free -= length;
    }
}
