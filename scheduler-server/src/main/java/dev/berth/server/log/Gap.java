package dev.berth.server.log;

import dev.berth.server.log.LogSink.Stream;

/**
 * Bytes of a log that the container engine's copy lacks: it had handed them out, and was killed before it wrote them
 * down.
 *
 * @param position of the first one, counted from the first byte of the stream's that was ever written
 */
record Gap(Stream stream, long position, long length) {
    long end() {
        return position + length;
    }
}
