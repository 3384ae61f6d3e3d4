package dev.berth.server.runner.target;

import java.io.IOException;
import java.io.OutputStream;

/** The stored directory of a job. */
public interface Snapshot {
    /** Its digest: the same for the same content. */
    String digest();

    /** Writes it as an uncompressed tar archive (pax) of paths below the directory; does not close the stream. */
    void writeTo(OutputStream archive) throws IOException;
}
