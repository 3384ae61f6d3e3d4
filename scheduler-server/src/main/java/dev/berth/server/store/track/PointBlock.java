package dev.berth.server.store.track;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Points as bytes: of each the difference of step and time to the one before, as numbers of one to ten bytes whose lowest bit is
 * the sign, and the eight bytes of its value.
 */
final class PointBlock {
    /** The points that a block has at the most. */
    static final int MAX_POINTS = 1_024;

    private static final int POINT_BYTES = 28;
    private static final int MORE = 0x80;
    private static final int BITS = 7;
    private static final int LOW = 0x7f;

    private PointBlock() {}

    static byte[] encode(List<StoredPoint> points) {
        ByteBuffer out = ByteBuffer.allocate(points.size() * POINT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long step = 0;
        long millis = 0;
        for (StoredPoint point : points) {
            write(out, point.step() - step);
            write(out, point.millis() - millis);
            out.putDouble(point.value());
            step = point.step();
            millis = point.millis();
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    static void decode(byte[] block, Consumer<StoredPoint> points) {
        ByteBuffer in = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        long step = 0;
        long millis = 0;
        while (in.hasRemaining()) {
            step += read(in);
            millis += read(in);
            points.accept(new StoredPoint(step, millis, in.getDouble()));
        }
    }

    /** Differences may wrap around, and come back to the same number. */
    private static void write(ByteBuffer out, long difference) {
        long rest = (difference << 1) ^ (difference >> (Long.SIZE - 1));
        while ((rest & ~LOW) != 0) {
            out.put((byte) ((rest & LOW) | MORE));
            rest >>>= BITS;
        }
        out.put((byte) rest);
    }

    private static long read(ByteBuffer in) {
        long all = 0;
        int shift = 0;
        byte next;
        do {
            next = in.get();
            all |= (long) (next & LOW) << shift;
            shift += BITS;
        } while ((next & MORE) != 0);
        return (all >>> 1) ^ -(all & 1);
    }
}
