package dev.berth.cli.client.http;

import java.io.IOException;
import java.io.OutputStream;

/** The content that a request carries. It may be written more than once, where the server asks to try again. */
public interface RequestBody {
    /** The media type. */
    String type();

    /** Writes the whole body; an {@link IOException} is always the stream's, never the source's. */
    void writeTo(OutputStream out) throws IOException;
}
