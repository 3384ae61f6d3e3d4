package dev.berth.server.log;

import dev.berth.core.api.LogFrame;
import dev.berth.server.log.Frames.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads one log from any offset, while it grows and while its oldest segments go; it never waits for the writer, nor
 * the writer for it. For one thread.
 */
public final class LogReader implements AutoCloseable {
    private final Path directory;
    private final LongSupplier growing;
    private @Nullable OpenSegment open;
    private long position;
    private long end = -1;
    private boolean grew;
    private long from;
    private long until = Long.MAX_VALUE;

    /**
     * A reader at offset 0.
     *
     * @param growing the end of a log that grows, -1 for another
     */
    LogReader(Path directory, LongSupplier growing) {
        this.directory = directory;
        this.growing = growing;
    }

    /** Confines it to a part of the log: it goes no further than to {@code until}, and back no further than to {@code from}. */
    public void confine(long from, long until) {
        this.from = from;
        this.until = until;
    }

    /** The offset of the first byte of the log that is kept. */
    public long logStart() throws IOException {
        return startWritten().total();
    }

    /** The offset of the first byte that is kept, of the part that it is confined to. */
    public long start() throws IOException {
        return Math.max(from, logStart());
    }

    /** Everything that was written before that byte. */
    WrittenBytes startWritten() throws IOException {
        for (Segment segment : Segment.list(directory)) {
            Optional<SegmentHeader> header = segment.header();
            if (header.isPresent()) {
                return header.get().before();
            }
        }
        return WrittenBytes.NOTHING;
    }

    /** The offset behind the last byte, of the part that it is confined to. */
    public long end() throws IOException {
        return Math.min(until, logEnd());
    }

    /** The offset behind the last byte of the log. */
    public long logEnd() throws IOException {
        long live = growing.getAsLong();
        if (live >= 0) {
            end = live;
        } else if (end < 0 || grew) {
            end = measuredEnd();
        }
        grew = live >= 0;
        return end;
    }

    private long measuredEnd() throws IOException {
        for (Segment segment : Segment.list(directory).reversed()) {
            Optional<OpenSegment> last = OpenSegment.open(segment);
            if (last.isPresent()) {
                try (OpenSegment measured = last.get()) {
                    return measured.measuredEnd();
                }
            }
        }
        return 0;
    }

    public long position() {
        return position;
    }

    /** Goes on reading at this offset, or at the first byte kept where that is later. */
    public void seek(long offset) throws IOException {
        close();
        position = Math.max(offset, start());
    }

    /** The offset of the first piece that arrived at that date or later; the end where none did. */
    public long since(long epochMillis) throws IOException {
        for (Segment segment : Segment.list(directory).reversed()) {
            Optional<OpenSegment> candidate = OpenSegment.open(segment);
            if (candidate.isPresent()) {
                try (OpenSegment searched = candidate.get()) {
                    if (searched.isFirstAt(epochMillis)) {
                        return searched.since(epochMillis);
                    }
                }
            }
        }
        return start();
    }

    /**
     * Reads bytes as they stand, both streams.
     *
     * @return how many, 0 where there are no more yet
     * @throws OvertakenException where what comes next is no longer kept
     */
    public int read(ByteBuffer into) throws IOException {
        long limit = end();
        for (OpenSegment segment = current(limit); segment != null; segment = next(segment)) {
            int room = (int) Math.min(into.remaining(), limit - position);
            int count = segment.read(position, into.slice(into.position(), room), limit);
            if (count > 0) {
                into.position(into.position() + count);
                position += count;
                return count;
            }
        }
        return 0;
    }

    /**
     * Reads a piece of one stream, at most as much as there is room for.
     *
     * @throws OvertakenException where what comes next is no longer kept
     */
    public Optional<LogFrame> piece(ByteBuffer into) throws IOException {
        long limit = end();
        for (OpenSegment segment = current(limit); segment != null; segment = next(segment)) {
            Optional<Frame> frame = segment.frame(position);
            int count = frame.isEmpty() ? 0 : readOf(segment, frame.get(), limit, into);
            if (frame.isPresent() && count > 0) {
                position += count;
                return Optional.of(
                        new LogFrame(position - count, frame.get().epochMillis(), frame.get().stream(), count));
            }
        }
        return Optional.empty();
    }

    private int readOf(OpenSegment segment, Frame frame, long limit, ByteBuffer into) throws IOException {
        long until = Math.min(limit, segment.base() + frame.end());
        int room = (int) Math.min(into.remaining(), until - position);
        int count = segment.read(position, into.slice(into.position(), room), limit);
        into.position(into.position() + count);
        return count;
    }

    private @Nullable OpenSegment current(long limit) throws IOException {
        if (position >= limit) {
            return null;
        }
        OpenSegment segment = open;
        return segment == null ? locate() : segment;
    }

    private @Nullable OpenSegment next(OpenSegment done) throws IOException {
        Optional<OpenSegment> next = OpenSegment.open(done.segment().next());
        if (next.isEmpty()) {
            // Not there yet, or no longer.
            return start() > position ? locate() : null;
        }
        done.close();
        open = next.get();
        position = Math.max(position, next.get().base());
        return open;
    }

    private @Nullable OpenSegment locate() throws IOException {
        close();
        List<Segment> all = Segment.list(directory).reversed();
        for (Segment segment : all) {
            Optional<OpenSegment> candidate = OpenSegment.open(segment);
            if (candidate.isPresent() && candidate.get().base() <= position) {
                open = candidate.get();
                return open;
            }
            if (candidate.isPresent()) {
                candidate.get().close();
            }
        }
        long start = start();
        if (start > position) {
            throw new OvertakenException(position, start);
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        OpenSegment old = open;
        open = null;
        if (old != null) {
            old.close();
        }
    }
}
