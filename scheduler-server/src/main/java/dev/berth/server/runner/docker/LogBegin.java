package dev.berth.server.runner.docker;

import dev.berth.server.log.LogSink;
import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * The first message that the engine still has of a container's output: a line, or as much of one as it writes down at
 * once.
 *
 * @param at when that was whole
 * @param message its first bytes, a KiB at most
 */
public record LogBegin(Instant at, LogSink.Stream stream, ByteBuffer message) {}
