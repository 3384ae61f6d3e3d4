package dev.berth.cli.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/** A job's log as it comes. For one thread. */
public final class LogStream implements Closeable {
    private final Closeable connection;
    private final InputStream in;

    LogStream(Closeable connection, InputStream in) {
        this.connection = connection;
        this.in = in;
    }

    /** Fills the buffer with what is there, at least one byte; -1 where the log is complete. */
    public int read(byte[] buffer) throws IOException {
        return in.read(buffer);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
