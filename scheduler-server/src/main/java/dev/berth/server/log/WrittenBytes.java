package dev.berth.server.log;

import dev.berth.server.log.LogSink.Stream;

/**
 * Bytes of each stream that have gone into a log since its beginning, those included that are no longer kept.
 *
 * @param notices Berth's own words, which no replay brings again
 */
record WrittenBytes(long out, long err, long notices) {
    static final WrittenBytes NOTHING = new WrittenBytes(0, 0, 0);

    /** The offset of the next byte. */
    long total() {
        return out + err + notices;
    }

    long of(Stream stream) {
        return switch (stream) {
            case OUT -> out;
            case ERR -> err;
            case NOTICE -> notices;
        };
    }

    WrittenBytes plus(Stream stream, long bytes) {
        return switch (stream) {
            case OUT -> new WrittenBytes(out + bytes, err, notices);
            case ERR -> new WrittenBytes(out, err + bytes, notices);
            case NOTICE -> new WrittenBytes(out, err, notices + bytes);
        };
    }
}
