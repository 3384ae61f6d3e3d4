package dev.berth.server.runner.docker;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A program's output on its way into a sink. */
public interface ContainerLogStream extends AutoCloseable {
    /** Waits for the end of the output; false where it has not come within that time, or the stream broke before. */
    boolean awaitEnd(Duration patience);

    /** Whether more may come: it has neither ended nor broken. */
    boolean isOpen();

    /** When it ended, or broke; empty while more may come. */
    Optional<Instant> endedAt();

    @Override
    void close();
}
