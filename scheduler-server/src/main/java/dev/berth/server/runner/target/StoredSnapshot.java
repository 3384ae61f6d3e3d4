package dev.berth.server.runner.target;

import dev.berth.server.code.SnapshotArchive;
import dev.berth.server.code.SnapshotArchive.Submitted;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** The directory that a job was submitted with, in this server's store. */
public record StoredSnapshot(Submitted directory, SnapshotArchive archive) implements Snapshot {
    @Override
    public void writeTo(OutputStream stream) throws IOException {
        if (!archive.pack(directory, () -> new Unclosed(stream))) {
            throw new IOException("the directory that the job was submitted with is gone");
        }
    }

    /** A stream that its giver closes. */
    private static final class Unclosed extends FilterOutputStream {
        Unclosed(OutputStream stream) {
            super(stream);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }
}
