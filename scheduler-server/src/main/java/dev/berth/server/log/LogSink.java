package dev.berth.server.log;

import java.nio.ByteBuffer;

/** Takes what a program writes, from one thread at a time. */
public interface LogSink {
    /** The stream: one of a program's two, or Berth's own words about the log. */
    enum Stream {
        OUT(0),
        ERR(1),
        NOTICE(2);

        private final int number;

        Stream(int number) {
            this.number = number;
        }

        /** The number by which a stored log knows the stream. */
        int number() {
            return number;
        }
    }

    /** The next piece of one stream; the buffer is the caller's again afterwards. */
    void write(Stream stream, ByteBuffer bytes);
}
