package dev.berth.server.log;

import dev.berth.server.log.Frames.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A segment open for reading; it can be read to its end also when it is removed meanwhile. For one thread. */
final class OpenSegment implements AutoCloseable {
    /** The bytes that are read at once where less is asked for: the pieces of a log may be as short as a byte. */
    private static final int AHEAD_BYTES = 1 << 16;

    private final Segment segment;
    private final SegmentHeader header;
    private final FileChannel bytes;
    private final FileChannel frames;
    private final FrameBlock near = new FrameBlock();
    private @Nullable ByteBuffer ahead;
    private long aheadFrom;
    private int hint;

    private OpenSegment(Segment segment, SegmentHeader header, FileChannel bytes, FileChannel frames) {
        this.segment = segment;
        this.header = header;
        this.bytes = bytes;
        this.frames = frames;
    }

    /** Empty where it is not there, not there yet, or no longer. */
    static Optional<OpenSegment> open(Segment segment) throws IOException {
        FileChannel frames = null;
        FileChannel bytes = null;
        try {
            frames = FileChannel.open(segment.frames(), StandardOpenOption.READ);
            Optional<SegmentHeader> header = SegmentHeader.read(frames);
            if (header.isPresent()) {
                bytes = FileChannel.open(segment.bytes(), StandardOpenOption.READ);
                return Optional.of(new OpenSegment(segment, header.get(), bytes, frames));
            }
            return Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } finally {
            if (bytes == null && frames != null) {
                frames.close();
            }
        }
    }

    Segment segment() {
        return segment;
    }

    /** The offset of its first byte. */
    long base() {
        return header.before().total();
    }

    /** The offset behind what is certain in it. */
    long measuredEnd() throws IOException {
        return Frames.measure(frames, bytes.size(), header).until().total();
    }

    /**
     * Fills the buffer from this offset on.
     *
     * @param end behind which nothing is certain yet
     * @return how much it got
     */
    int read(long offset, ByteBuffer into, long end) throws IOException {
        long at = offset - base();
        if (into.remaining() >= AHEAD_BYTES / 2) {
            return Math.max(0, bytes.read(into, at));
        }
        ByteBuffer known = ahead == null ? ByteBuffer.allocate(AHEAD_BYTES).limit(0) : ahead;
        ahead = known;
        if (at < aheadFrom || at >= aheadFrom + known.limit()) {
            known.clear().limit((int) Math.min(AHEAD_BYTES, end - offset));
            int count = bytes.read(known, at);
            known.position(0).limit(Math.max(0, count));
            aheadFrom = at;
        }
        int from = (int) (at - aheadFrom);
        int count = Math.min(into.remaining(), known.limit() - from);
        into.put(into.position(), known, from, count).position(into.position() + count);
        return count;
    }

    /** The frame around this byte, its end as an offset in the segment. */
    Optional<Frame> frame(long offset) throws IOException {
        long at = offset - base();
        Frame known = near.holding(at);
        if (known != null) {
            return Optional.of(known);
        }
        int index = Frames.holding(frames, at, hint);
        if (index < 0) {
            return Optional.empty();
        }
        hint = index;
        near.load(frames, index);
        return Optional.ofNullable(near.holding(at));
    }

    /** Whether nothing in the segments before this one came at that date or later. */
    boolean isFirstAt(long epochMillis) {
        return header.latestMillis() < epochMillis;
    }

    /** The offset of the first piece that came at that date or later. */
    long since(long epochMillis) throws IOException {
        return base() + Frames.since(frames, epochMillis);
    }

    @Override
    public void close() throws IOException {
        try (bytes;
                frames) {
            hint = 0;
        }
    }
}
