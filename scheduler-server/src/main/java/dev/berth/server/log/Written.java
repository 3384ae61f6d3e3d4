package dev.berth.server.log;

import dev.berth.server.log.LogSink.Stream;

/**
 * How many bytes of each stream have gone into a log since its beginning, those included that are no longer kept.
 *
 * @param notices Berth's own words, which no replay brings again
 */
record Written(long out, long err, long notices) {
    static final Written NOTHING = new Written(0, 0, 0);

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

    Written plus(Stream stream, long bytes) {
        return switch (stream) {
            case OUT -> new Written(out + bytes, err, notices);
            case ERR -> new Written(out, err + bytes, notices);
            case NOTICE -> new Written(out, err, notices + bytes);
        };
    }
}
