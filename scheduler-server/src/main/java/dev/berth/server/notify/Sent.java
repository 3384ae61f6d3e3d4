package dev.berth.server.notify;

import java.time.Duration;

/** What became of an attempt to send something. */
public sealed interface Sent {
    /**
     * The receiver has it.
     *
     * @param answer what it said
     */
    record Arrived(String answer) implements Sent {}

    /**
     * It did not arrive, as far as is known.
     *
     * @param sentence why, for people: without anything of the receiver's secrets
     * @param isFinal whether the same would fail again whenever it is sent
     * @param pause for which the receiver asks before the next try, zero where it does not
     */
    record Failed(String sentence, boolean isFinal, Duration pause) implements Sent {
        static Failed of(String sentence) {
            return new Failed(sentence, false, Duration.ZERO);
        }
    }
}
