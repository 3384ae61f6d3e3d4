package dev.berth.server.upkeep;

import org.jspecify.annotations.Nullable;

/** A failure of background work in a sentence for people; the work is tried again. */
public final class UpkeepException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UpkeepException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
