package dev.berth.server.runner.docker;

import dev.berth.server.log.LogSink;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HexFormat;

/**
 * The first message that the engine still has of a container's output: a line, or as much of one as it writes down at
 * once.
 *
 * @param at when that was whole
 * @param message its first bytes, a KiB at most
 */
public record LogBegin(Instant at, LogSink.Stream stream, ByteBuffer message) {
    private static final int SHOWN_BYTES = 24;

    /** What tells it from another, for the server's log: its time, stream, length and first bytes. */
    String inWords() {
        byte[] shown = new byte[Math.min(SHOWN_BYTES, message.remaining())];
        message.duplicate().get(shown);
        return at + " " + stream + " " + message.remaining() + " bytes "
                + HexFormat.of().formatHex(shown);
    }
}
