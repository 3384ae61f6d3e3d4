package dev.berth.server.track.source;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.util.zip.CRC32C;

/** The part of a file that is in memory, at most 64 KiB; it follows the places that are asked for. For one thread. */
final class FileWindow {
    static final int SIZE = 64 * 1024;

    private final SeekableByteChannel file;
    private final ByteBuffer bytes =
            ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    private long start;

    FileWindow(SeekableByteChannel file) {
        this.file = file;
    }

    /**
     * Whether the file has these bytes; they are in the window then.
     *
     * @param count at most the window's size
     */
    boolean has(long place, int count) throws IOException {
        return isIn(place, count) || fill(place, count);
    }

    private boolean isIn(long place, int count) {
        return place >= start && place - start <= bytes.limit() - count;
    }

    private boolean fill(long place, int count) throws IOException {
        start = place;
        bytes.clear();
        file.position(place);
        while (bytes.position() < count) {
            if (file.read(bytes) <= 0) {
                bytes.flip();
                return false;
            }
        }
        bytes.flip();
        return true;
    }

    /** A byte that is in the window. */
    byte byteAt(long place) {
        return bytes.get((int) (place - start));
    }

    /** Four bytes that are in the window, the lowest first. */
    int intAt(long place) {
        return bytes.getInt((int) (place - start));
    }

    /** Eight bytes that are in the window, the lowest first. */
    long longAt(long place) {
        return bytes.getLong((int) (place - start));
    }

    /** A copy of bytes that are in the window. */
    byte[] copy(long place, int count) {
        byte[] copy = new byte[count];
        bytes.get((int) (place - start), copy);
        return copy;
    }

    /** Adds bytes of the file, however many, to a checksum; false where the file ends before. */
    boolean sum(CRC32C checksum, long place, long count) throws IOException {
        long at = place;
        for (long left = count; left > 0; ) {
            // What the window has is used up first: small records are read once.
            int piece = (int) Math.min(left, SIZE);
            if (!has(at, piece)) {
                return false;
            }
            checksum.update(bytes.slice((int) (at - start), piece));
            at += piece;
            left -= piece;
        }
        return true;
    }
}
