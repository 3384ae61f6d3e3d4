package dev.berth.server.log;

import java.io.IOException;

/** A reader was so slow that what it would have read next is no longer kept. */
public final class OvertakenException extends IOException {
    private static final long serialVersionUID = 1L;

    OvertakenException(long offset, long start) {
        super("the log has gone on past this reader: it is at " + offset + ", and the first byte kept is " + start);
    }
}
