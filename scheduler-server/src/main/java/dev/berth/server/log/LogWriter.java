package dev.berth.server.log;

import dev.berth.server.log.Frames.Extent;
import dev.berth.server.log.Frames.Frame;
import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the segments of one log. Bytes go to disk before the frame that tells of them, and a segment's header before
 * its bytes: whatever a crash cuts off, the whole frames from the oldest segment on are the log. For one thread.
 */
final class LogWriter implements AutoCloseable {
    /** Pieces that come so soon after one another share a frame, and so a time. */
    private static final long TOGETHER_MILLIS = 10;

    /** Pieces of a line that is still being written share its time, that of its beginning, for so long. */
    private static final long SAME_LINE_MILLIS = 1_000;

    private static final int MAX_FRAME_BYTES = 1 << 20;

    /** Hears of the oldest segments before they go. */
    @FunctionalInterface
    interface Dropping {
        /**
         * Called while they are there.
         *
         * @param until what was written up to their end
         */
        void drop(WrittenBytes until) throws IOException;
    }

    private final LogBounds bounds;
    private final Dropping dropping;
    private final ByteBuffer room = ByteBuffer.allocateDirect(Frames.BYTES);
    private Segment segment;
    private SegmentFiles files;
    private WrittenBytes written;
    private int frameCount;
    private int end;
    private long latestMillis;
    private long lastMillis;
    private long firstMillis;
    private @Nullable Frame growing;
    private int startOfGrowing;
    private boolean atLineEnd;

    private LogWriter(Segment segment, LogBounds bounds, Dropping dropping) throws IOException {
        this.segment = segment;
        this.bounds = bounds;
        this.dropping = dropping;
        files = SegmentFiles.open(segment);
        try {
            SegmentHeader header = SegmentHeader.read(files.frames()).orElse(SegmentHeader.FIRST);
            Extent extent = Frames.measure(files.frames(), files.bytes().size(), header);
            written = extent.until();
            frameCount = extent.count();
            end = extent.end();
            latestMillis = extent.latestMillis();
            lastMillis = extent.lastMillis();
            firstMillis = header.firstMillis() == 0 && frameCount > 0
                    ? Frames.at(files.frames(), 0).epochMillis()
                    : header.firstMillis();
            header.write(files.frames());
            files.frames().truncate(SegmentHeader.BYTES + (long) frameCount * Frames.BYTES);
            files.bytes().truncate(end).position(end);
        } catch (IOException e) {
            files.close();
            throw e;
        }
    }

    /** Goes on at the end of what is whole; what is not goes, the engine has it still. */
    static LogWriter open(Path directory, LogBounds bounds, Dropping dropping) throws IOException {
        List<Segment> all = Segment.list(directory);
        int first = 0;
        while (first < all.size() && all.get(first).header().isEmpty()) {
            first++;
        }
        int last = first;
        while (last + 1 < all.size() && follows(all.get(last), all.get(last + 1))) {
            last++;
        }
        // From the end on, so that a crash meanwhile leaves no hole.
        for (int other = all.size() - 1; other >= 0; other--) {
            if (other < first || other > last) {
                all.get(other).delete();
            }
        }
        removeLeftovers(directory);
        return new LogWriter(first < all.size() ? all.get(last) : new Segment(directory, 0), bounds, dropping);
    }

    private static boolean follows(Segment segment, Segment next) throws IOException {
        Optional<SegmentHeader> header = segment.header();
        Optional<SegmentHeader> nextHeader = next.header();
        if (header.isEmpty() || nextHeader.isEmpty() || !Files.exists(segment.bytes())) {
            return false;
        }
        try (FileChannel frames = FileChannel.open(segment.frames(), StandardOpenOption.READ)) {
            Extent extent = Frames.measure(frames, Files.size(segment.bytes()), header.get());
            return extent.until().equals(nextHeader.get().before());
        }
    }

    /** Bytes without frames, from a removal that a crash broke off. */
    private static void removeLeftovers(Path directory) throws IOException {
        Set<Path> known = new HashSet<>();
        for (Segment segment : Segment.list(directory)) {
            known.add(segment.bytes());
            known.add(segment.frames());
        }
        for (Path file : Segment.files(directory)) {
            if (!known.contains(file)) {
                Files.deleteIfExists(file);
            }
        }
    }

    WrittenBytes written() {
        return written;
    }

    /** The time when the last byte came, as the date was then; 0 where none has. */
    long lastMillis() {
        return lastMillis;
    }

    /** Adds a piece; after an exception this writer is of no use, and the log is what it was before. */
    void append(Stream stream, ByteBuffer piece, long epochMillis) throws IOException {
        lastMillis = epochMillis;
        latestMillis = Math.max(latestMillis, epochMillis);
        firstMillis = firstMillis == 0 ? epochMillis : firstMillis;
        while (piece.hasRemaining()) {
            if (end == bounds.segmentBytes() || frameCount >= bounds.segmentFrames()) {
                roll();
            }
            int length = Math.min(piece.remaining(), bounds.segmentBytes() - end);
            ByteBuffer part = piece.slice(piece.position(), length);
            boolean endsLine = part.get(length - 1) == '\n';
            while (part.hasRemaining()) {
                files.bytes().write(part);
            }
            frame(stream, length);
            piece.position(piece.position() + length);
            atLineEnd = endsLine;
        }
    }

    private void frame(Stream stream, int length) throws IOException {
        Frame last = growing;
        boolean grows = last != null
                && last.stream() == stream.number()
                && lastMillis >= last.epochMillis()
                && lastMillis - last.epochMillis() < (atLineEnd ? TOGETHER_MILLIS : SAME_LINE_MILLIS)
                && length <= MAX_FRAME_BYTES - (end - startOfGrowing);
        if (!grows) {
            startOfGrowing = end;
        }
        int index = grows ? frameCount - 1 : frameCount;
        Frame frame = new Frame(grows && last != null ? last.epochMillis() : lastMillis, stream.number(), end + length);
        Frames.write(files.frames(), index, frame, room);
        growing = frame;
        frameCount = index + 1;
        end += length;
        written = written.plus(stream, length);
    }

    private void roll() throws IOException {
        close();
        segment = segment.next();
        files = SegmentFiles.open(segment);
        new SegmentHeader(written, latestMillis, firstMillis, lastMillis).write(files.frames());
        frameCount = 0;
        end = 0;
        growing = null;
        dropOldest();
    }

    private void dropOldest() throws IOException {
        List<Segment> all = Segment.list(segment.directory());
        int tooMany = all.size() - bounds.segments();
        if (tooMany <= 0) {
            return;
        }
        dropping.drop(all.get(tooMany).header().orElseThrow().before());
        // It carries the counts from here on; without them on disk a power cut would take them with the older ones.
        try (FileChannel oldestKept = FileChannel.open(all.get(tooMany).frames(), StandardOpenOption.WRITE)) {
            oldestKept.force(true);
        }
        for (Segment old : all.subList(0, tooMany)) {
            old.delete();
        }
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
