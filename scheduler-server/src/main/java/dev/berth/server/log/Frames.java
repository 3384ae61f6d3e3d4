package dev.berth.server.log;

import dev.berth.server.log.LogSink.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The frames of one segment, behind its header: of each piece the time, the stream, and where in the segment it ends.
 * 16 bytes each, so that none lies across two pages of memory and a process that is killed leaves no half of one. The
 * last frame may still grow.
 */
final class Frames {
    static final int BYTES = 16;
    private static final Stream[] STREAMS = Stream.values();
    private static final int BUFFERED = 1 << 12;

    private Frames() {}

    /** The stream that a stored log knows by this number. */
    static Stream stream(int number) {
        return STREAMS[number];
    }

    /**
     * Frame.
     *
     * @param end where the piece ends, in bytes from the segment's beginning
     */
    record Frame(long epochMillis, int stream, int end) {
        Stream from() {
            return Frames.stream(stream);
        }

        private boolean follows(int start, long bytes) {
            return stream >= 0 && stream < STREAMS.length && end > start && end <= bytes;
        }
    }

    /**
     * The part of a segment that is certain.
     *
     * @param until everything written up to the end of the last whole frame
     * @param count how many whole frames there are
     * @param end of the last one
     * @param latestMillis the latest date of an arrival; later than the last one's where the date was set back
     * @param lastMillis the date of the last arrival
     */
    record Extent(WrittenBytes until, int count, int end, long latestMillis, long lastMillis) {}

    static void write(FileChannel frames, int index, Frame frame, ByteBuffer room) throws IOException {
        room.clear()
                .putLong(frame.epochMillis())
                .putInt(frame.stream())
                .putInt(frame.end())
                .flip();
        long at = position(index);
        while (room.hasRemaining()) {
            at += frames.write(room, at);
        }
    }

    private static long position(int index) {
        return SegmentHeader.BYTES + (long) index * BYTES;
    }

    static int count(FileChannel frames) throws IOException {
        return (int) Math.max(0, (frames.size() - SegmentHeader.BYTES) / BYTES);
    }

    static Frame at(FileChannel frames, int index) throws IOException {
        ByteBuffer room = ByteBuffer.allocate(BYTES);
        while (room.hasRemaining()) {
            if (frames.read(room, position(index) + room.position()) < 0) {
                throw new IOException("frame " + index + " of a log is gone");
            }
        }
        return frame(room.flip());
    }

    /** Reads whole frames from this one on, as many as there are and there is room for. */
    static void read(FileChannel frames, int index, ByteBuffer room) throws IOException {
        room.clear();
        while (room.hasRemaining() && frames.read(room, position(index) + room.position()) >= 0) {}
        room.flip();
    }

    static Frame frame(ByteBuffer room) {
        return new Frame(room.getLong(), room.getInt(), room.getInt());
    }

    /** Counts what is whole: after a crash, or a power cut, files may end in what nobody wrote. */
    static Extent measure(FileChannel frames, long bytes, SegmentHeader header) throws IOException {
        WrittenBytes until = header.before();
        long latest = header.latestMillis();
        long last = header.lastMillis();
        int end = 0;
        int index = 0;
        ByteBuffer room = ByteBuffer.allocate(BUFFERED * BYTES);
        for (int count = count(frames); index < count; ) {
            room.clear().limit(Math.min(BUFFERED, count - index) * BYTES);
            while (room.hasRemaining() && frames.read(room, position(index) + room.position()) >= 0) {}
            room.flip();
            while (room.remaining() >= BYTES) {
                Frame frame = frame(room);
                if (!frame.follows(end, bytes)) {
                    return new Extent(until, index, end, latest, last);
                }
                until = until.plus(frame.from(), frame.end() - end);
                end = frame.end();
                last = frame.epochMillis();
                latest = Math.max(latest, last);
                index++;
            }
        }
        return new Extent(until, index, end, latest, last);
    }

    /** The frame that holds this byte, looked for at {@code hint} first; -1 where none does yet. */
    static int holding(FileChannel frames, long byteAt, int hint) throws IOException {
        int count = count(frames);
        for (int near = hint; near < Math.min(hint + 2, count); near++) {
            int start = near == 0 ? 0 : at(frames, near - 1).end();
            if (start <= byteAt && byteAt < at(frames, near).end()) {
                return near;
            }
        }
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (at(frames, middle).end() > byteAt) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low < count ? low : -1;
    }

    /**
     * The place where the first piece begins that came at that date or later; where the frames end if none did. One by
     * one: where the date was set back they are in no order.
     */
    static int since(FileChannel frames, long epochMillis) throws IOException {
        int start = 0;
        ByteBuffer room = ByteBuffer.allocate(BUFFERED * BYTES);
        for (int index = 0; ; index += BUFFERED) {
            read(frames, index, room);
            while (room.remaining() >= BYTES) {
                Frame frame = frame(room);
                if (frame.epochMillis() >= epochMillis) {
                    return start;
                }
                start = frame.end();
            }
            if (room.limit() < room.capacity()) {
                return start;
            }
        }
    }
}
