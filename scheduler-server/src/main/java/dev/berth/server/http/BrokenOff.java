package dev.berth.server.http;

import java.io.IOException;

/** An answer that has begun and ends here, before its end: whoever reads it sees that and asks again. */
final class BrokenOff extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenOff(String why) {
        super(why);
    }
}
