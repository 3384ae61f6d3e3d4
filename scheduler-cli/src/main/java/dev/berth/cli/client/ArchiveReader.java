package dev.berth.cli.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/** A job's output as it comes, a tar archive. For one thread. */
public final class ArchiveReader implements Closeable {
    private final Closeable connection;
    private final InputStream in;

    ArchiveReader(Closeable connection, InputStream in) {
        this.connection = connection;
        this.in = in;
    }

    /** The archive's bytes; one that breaks off is an {@link IOException}, never an end. */
    public InputStream bytes() {
        return in;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
