package dev.berth.server.http;

import dev.berth.server.http.Deadlines.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** A request's body that must come in time: as a whole, and each piece of it. */
final class JettyBody extends InputStream {
    private final InputStream in;
    private final JettyConnection connection;
    private final Deadline whole;

    JettyBody(InputStream in, JettyConnection connection, Duration limit) {
        this.in = in;
        this.connection = connection;
        this.whole = connection.during(limit, "the body of a request took longer than " + limit);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        try (Deadline _ = connection.during(connection.times().silence(), "nothing came of a request's body")) {
            int count = in.read(target, from, length);
            if (count < 0) {
                whole.close();
            }
            return count;
        }
    }
}
