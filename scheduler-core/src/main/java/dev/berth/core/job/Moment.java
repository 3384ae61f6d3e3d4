package dev.berth.core.job;

import java.util.Locale;

/** A moment in a job's life of which others can be told. */
public enum Moment {
    /** Its program runs; of an array the first of its tasks. */
    START,
    /** It has ended, in whatever way. */
    END,
    /** It has ended otherwise than COMPLETED, and nobody cancelled it. */
    FAIL;

    /** The word for it in requests and in what is sent. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
