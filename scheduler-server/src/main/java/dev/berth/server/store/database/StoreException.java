package dev.berth.server.store.database;

import org.jspecify.annotations.Nullable;

/** The database did not do what it must; the message is for people. The server stops on one. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean broken;

    public StoreException(String message) {
        super(message);
        this.broken = false;
    }

    public StoreException(String message, Throwable cause) {
        this(message, cause, false);
    }

    StoreException(String message, @Nullable Throwable cause, boolean broken) {
        super(message, cause);
        this.broken = broken;
    }

    /**
     * Exception for a word that this version does not know, and that means something: a newer one, or another program,
     * wrote it.
     */
    public static StoreException unknown(String where, String value) {
        return new StoreException("the database has a value that this version of Berth does not know: " + where
                + " is '" + value + "'; use the version that wrote it, or restore a backup (berth server restore)");
    }

    /** Whether the file itself is damaged or no longer in its place, so that no other try can go well. */
    public boolean isBroken() {
        return broken;
    }
}
