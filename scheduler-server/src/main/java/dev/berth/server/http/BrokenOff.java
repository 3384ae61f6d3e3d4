package dev.berth.server.http;

import java.io.IOException;

/** An answer that has begun and ends here, before its end: whoever reads it sees that and asks again. */
public final class BrokenOff extends IOException {
    private static final long serialVersionUID = 1L;

    public BrokenOff(String why) {
        super(why);
    }
}
