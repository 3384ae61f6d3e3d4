package dev.berth.server.http.exchange;

import java.io.IOException;

/** An answer that has begun and ends here, before its end: the client sees that and asks again. */
public final class AnswerBrokenOff extends IOException {
    private static final long serialVersionUID = 1L;

    public AnswerBrokenOff(String why) {
        super(why);
    }
}
