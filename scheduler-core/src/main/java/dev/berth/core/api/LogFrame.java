package dev.berth.core.api;

/**
 * The header before each piece of a log in the answer form {@code frames}: 24 bytes, big-endian, then so many bytes of
 * the log.
 *
 * @param offset of the piece's first byte in the whole log, which stays the same for ever
 * @param epochMillis when it arrived
 * @param stream {@link #STDOUT}, {@link #STDERR} or {@link #NOTICE}
 * @param length in bytes
 */
public record LogFrame(long offset, long epochMillis, int stream, int length) {
    /** The length of the encoded form. */
    public static final int BYTES = 24;

    public static final int STDOUT = 0;
    public static final int STDERR = 1;

    /** Not the program's: what Berth has to say about this log. */
    public static final int NOTICE = 2;

    /** No piece is longer. */
    public static final int MAX_LENGTH = 1 << 16;

    /** Writes the encoded form to the beginning of an array. */
    public void put(byte[] into) {
        number(into, 0, Long.BYTES, offset);
        number(into, 8, Long.BYTES, epochMillis);
        number(into, 16, Integer.BYTES, stream);
        number(into, 20, Integer.BYTES, length);
    }

    private static void number(byte[] into, int at, int bytes, long value) {
        long left = value;
        for (int place = at + bytes - 1; place >= at; place--) {
            into[place] = (byte) left;
            left >>= Byte.SIZE;
        }
    }

    /** Reads the encoded form; whether the values are possible is {@link #isPossible()}'s to say. */
    public static LogFrame get(byte[] from) {
        return new LogFrame(
                number(from, 0, Long.BYTES), number(from, 8, Long.BYTES), (int) number(from, 16, Integer.BYTES), (int)
                        number(from, 20, Integer.BYTES));
    }

    private static long number(byte[] from, int at, int bytes) {
        long value = 0;
        for (int place = at; place < at + bytes; place++) {
            value = (value << Byte.SIZE) | (from[place] & 0xff);
        }
        return value;
    }

    /** Whether a server may have written this. */
    public boolean isPossible() {
        return offset >= 0 && stream >= STDOUT && stream <= NOTICE && length >= 0 && length <= MAX_LENGTH;
    }

    /** The offset of the next byte of the log. */
    public long end() {
        return offset + length;
    }
}
