package dev.berth.server.http;

import dev.berth.server.http.Deadlines.Deadline;
import java.io.IOException;
import java.io.OutputStream;

/** An answer's body whose reader must take each piece in time, so that nobody who does not read holds memory. */
final class JettyAnswer extends OutputStream {
    private static final int PIECE_BYTES = 1 << 16;

    private final OutputStream out;
    private final JettyConnection connection;

    JettyAnswer(OutputStream out, JettyConnection connection) {
        this.out = out;
        this.connection = connection;
    }

    private Deadline reading() {
        return connection.during(connection.times().write(), "nothing of an answer was read");
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int from, int length) throws IOException {
        for (int done = 0; done < length; done += PIECE_BYTES) {
            try (Deadline _ = reading()) {
                out.write(source, from + done, Math.min(PIECE_BYTES, length - done));
            }
        }
    }

    @Override
    public void flush() throws IOException {
        try (Deadline _ = reading()) {
            out.flush();
        }
    }

    @Override
    public void close() throws IOException {
        try (Deadline _ = reading()) {
            out.close();
        }
    }
}
