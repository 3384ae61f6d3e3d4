package dev.berth.server.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * The first 64 bytes of a segment's frames: what the log held before this segment, so that offsets and a replay's
 * counts outlive the segments before it.
 *
 * @param before everything that was written into earlier segments
 * @param latestMillis the latest date of an arrival in earlier segments
 * @param firstMillis the first arrival of all; 0 where nothing has come yet
 * @param lastMillis the last arrival in earlier segments; before the latest where the date was set back
 */
record SegmentHeader(WrittenBytes before, long latestMillis, long firstMillis, long lastMillis) {
    static final SegmentHeader FIRST = new SegmentHeader(WrittenBytes.NOTHING, 0, 0, 0);

    static final int BYTES = 64;
    private static final long MAGIC = 0x42455254484c4f47L;
    private static final int CHECKED_BYTES = BYTES - Long.BYTES;

    void write(FileChannel frames) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES)
                .putLong(MAGIC)
                .putLong(before.out())
                .putLong(before.err())
                .putLong(before.notices())
                .putLong(latestMillis)
                .putLong(firstMillis)
                .putLong(lastMillis);
        bytes.putLong(CHECKED_BYTES, checksum(bytes)).clear();
        long at = 0;
        while (bytes.hasRemaining()) {
            at += frames.write(bytes, at);
        }
    }

    /** The header, where a whole one is there. */
    static Optional<SegmentHeader> read(FileChannel frames) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        while (bytes.hasRemaining()) {
            if (frames.read(bytes, bytes.position()) < 0) {
                return Optional.empty();
            }
        }
        if (bytes.getLong(0) != MAGIC || bytes.getLong(CHECKED_BYTES) != checksum(bytes)) {
            return Optional.empty();
        }
        WrittenBytes before = new WrittenBytes(bytes.getLong(8), bytes.getLong(16), bytes.getLong(24));
        return Optional.of(new SegmentHeader(before, bytes.getLong(32), bytes.getLong(40), bytes.getLong(48)));
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes.slice(0, CHECKED_BYTES));
        return checksum.getValue();
    }
}
