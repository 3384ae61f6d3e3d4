package dev.berth.server.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * An archive while it is read: copied on its way, and never longer than its limits. Lives on one thread.
 */
final class ArchiveInput extends InputStream {
    /**
     * What a tar reader may take in before it shows an entry: padding, the extended headers and the entry's own. It
     * keeps those in memory, and goes one call deeper for each.
     */
    static final int MAX_HEADER_BYTES = 64 * 1024;

    /** One block of zeros ends an archive (tar(5)); the padding before it is shorter than one. */
    private static final int END_BYTES = 512;

    private final InputStream in;
    private final OutputStream copy;
    private final long limit;
    private long taken;
    private boolean inHeader;
    private int headerBytes;
    private int zeros;

    /** The archive is longer than it may be. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;
        private final long limit;

        TooLong(long limit) {
            this.limit = limit;
        }

        long limit() {
            return limit;
        }
    }

    /** The copy could not be written: no fault of the archive's. */
    static final class NotKept extends IOException {
        private static final long serialVersionUID = 1L;
        private final IOException reason;

        NotKept(IOException reason) {
            this.reason = reason;
        }

        IOException reason() {
            return reason;
        }
    }

    ArchiveInput(InputStream in, OutputStream copy, long limit) {
        this.in = in;
        this.copy = copy;
        this.limit = limit;
    }

    void beginHeader() {
        inHeader = true;
        headerBytes = 0;
        zeros = 0;
    }

    void endHeader() {
        inHeader = false;
    }

    /** Whether what was read since the last {@link #beginHeader} ended in the mark of an archive's end. */
    boolean sawEnd() {
        return zeros >= END_BYTES;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        if (count <= 0) {
            return count;
        }
        taken += count;
        if (taken > limit) {
            throw new TooLong(limit);
        }
        try {
            copy.write(bytes, offset, count);
        } catch (IOException e) {
            throw new NotKept(e);
        }
        if (inHeader) {
            lookAtHeader(bytes, offset, count);
        }
        return count;
    }

    private void lookAtHeader(byte[] bytes, int offset, int count) throws IOException {
        headerBytes += count;
        if (headerBytes > MAX_HEADER_BYTES) {
            throw new IOException("a header is longer than " + MAX_HEADER_BYTES + " bytes");
        }
        for (int i = offset; i < offset + count; i++) {
            zeros = bytes[i] == 0 ? zeros + 1 : 0;
        }
    }
}
