package dev.berth.server.runner.target;

import java.io.IOException;
import java.io.OutputStream;

/** The stored directory of a job. */
@FunctionalInterface
public interface Snapshot {
    /** Writes it as an uncompressed tar archive (pax) of paths below the directory; does not close the stream. */
    void writeTo(OutputStream archive) throws IOException;
}
