package dev.berth.server.track.source;

import dev.berth.server.store.track.Entry;
import dev.berth.server.track.source.Problem.Kind;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * TensorBoard's event files, as TensorFlow, PyTorch's SummaryWriter and tensorboardX write them: records of a length (64
 * bits), its masked CRC-32C, that many bytes and their masked CRC-32C, the lowest byte first
 * (tensorflow/core/lib/io/record_writer.h; the mask: tensorflow/core/lib/hash/crc32c.h). Each record is an Event. Scalars
 * become points, parameters of the plugin "hparams" parameters; pictures, histograms, graphs and others are passed over.
 *
 * <p>Positions are offsets of bytes, each the end of a whole record. A record that is being written is waited for.
 */
public final class TensorBoardEvents {
    private static final String NAME = "events.out.tfevents.";

    private static final int LENGTH_BYTES = Long.BYTES;
    private static final int HEADER_BYTES = LENGTH_BYTES + Integer.BYTES;
    private static final long MAX_RECORD = 16L << 20;

    /** The largest message that protocol buffers can have. */
    private static final long MAX_MESSAGE = Integer.MAX_VALUE;

    private static final int MASK_ROTATION = 15;
    private static final int MASK = 0xA282_EAD8;

    private TensorBoardEvents() {}

    /** Whether a file of this name, without its directory, is one. */
    public static boolean isName(String name) {
        return name.startsWith(NAME);
    }

    /**
     * The name of a metric.
     *
     * @param run the directory of the file, relative to the output directory, with slashes; empty where no other holds any
     */
    public static String metric(String run, String tag) {
        return run.isEmpty() ? tag : run + '/' + tag;
    }

    /**
     * Reads from a place on, and stops at the end of the last whole record or behind so many bytes.
     *
     * @param offset where a record begins: 0, or what the reading before this one returned
     * @param run as for {@link #metric}
     * @param maxBytes the bytes behind which the reading ends, with the record that they end in
     */
    public static SourceRead read(
            SeekableByteChannel file,
            long offset,
            String run,
            long maxBytes,
            Consumer<Entry> entries,
            Consumer<Problem> problems)
            throws IOException {
        long size = file.size();
        if (size < offset) {
            return SourceRead.stopped(offset, Kind.FILE_SHORTER);
        }
        CheckedEntries checked = new CheckedEntries(entries, problems);
        FileWindow window = new FileWindow(file);
        EventRecord record = new EventRecord(window, run, checked);
        long place = offset;
        while (place - offset < maxBytes) {
            if (size - place < HEADER_BYTES || !window.has(place, HEADER_BYTES)) {
                return SourceRead.whole(place);
            }
            long length = window.longAt(place);
            if (!isWhole(window, place, LENGTH_BYTES) || length < 0 || length > MAX_MESSAGE) {
                return SourceRead.stopped(place, Kind.LENGTH);
            }
            long data = place + HEADER_BYTES;
            long end = data + length + Integer.BYTES;
            if (end > size) {
                return SourceRead.whole(place);
            }
            if (length > MAX_RECORD) {
                checked.problem(Kind.RECORD_TOO_LARGE, "");
            } else if (!isWhole(window, data, length)) {
                return SourceRead.stopped(place, Kind.CHECKSUM);
            } else {
                record.read(data, data + length);
            }
            place = end;
        }
        return SourceRead.bounded(place);
    }

    /** Whether the masked checksum of these bytes stands behind them. */
    private static boolean isWhole(FileWindow window, long place, long length) throws IOException {
        CRC32C checksum = new CRC32C();
        return window.sum(checksum, place, length)
                && window.has(place + length, Integer.BYTES)
                && window.intAt(place + length) == masked((int) checksum.getValue());
    }

    private static int masked(int checksum) {
        return Integer.rotateRight(checksum, MASK_ROTATION) + MASK;
    }
}
