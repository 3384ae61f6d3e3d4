package dev.berth.server.store.track;

import dev.berth.server.store.database.StoreException;

/** The database of what programs tell did not do what it must. The queue does without it. */
public final class TrackingException extends StoreException {
    private static final long serialVersionUID = 1L;

    public TrackingException(String message) {
        super(message);
    }

    TrackingException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The same, known as of this database. */
    static TrackingException of(StoreException why) {
        return why instanceof TrackingException known
                ? known
                : new TrackingException(String.valueOf(why.getMessage()), why);
    }
}
