package dev.berth.server.log;

/**
 * The bounds of one log, which say how much of it is kept: a number of segments, of which the oldest goes when a new
 * one is begun.
 *
 * @param segmentBytes how much of the program's output one segment takes
 * @param segmentFrames how many pieces one segment tells apart
 * @param segments how many are kept, the one that grows included
 */
record LogBounds(int segmentBytes, int segmentFrames, int segments) {
    private static final int SEGMENTS = 16;
    private static final int MIN_SEGMENT_BYTES = 1 << 12;
    private static final int MAX_SEGMENT_BYTES = 1 << 30;

    /** A program that writes less than this at a time, and slowly, is cut by the number of frames and not of bytes. */
    private static final int BYTES_A_FRAME = 64;

    LogBounds {
        if (segmentBytes < 1 || segmentFrames < 1 || segments < 2) {
            throw new IllegalArgumentException("a log needs two segments that take something: " + segmentBytes + ", "
                    + segmentFrames + ", " + segments);
        }
    }

    /** At most so many bytes of output, and with it at most a quarter as much to tell times and streams. */
    static LogBounds of(long maxBytes) {
        if (maxBytes < SEGMENTS * MIN_SEGMENT_BYTES) {
            throw new IllegalArgumentException(
                    "a log of at most " + maxBytes + " bytes is less than " + SEGMENTS * MIN_SEGMENT_BYTES);
        }
        int bytes = (int) Math.min(MAX_SEGMENT_BYTES, maxBytes / SEGMENTS);
        long segments = Math.min(Integer.MAX_VALUE, maxBytes / bytes);
        return new LogBounds(bytes, bytes / BYTES_A_FRAME, (int) segments);
    }
}
