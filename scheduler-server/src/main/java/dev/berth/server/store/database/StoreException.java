package dev.berth.server.store.database;

import org.jspecify.annotations.Nullable;

/** The database did not do what it must; the message is for people. The server stops on one. */
public class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** How far it reaches: one call, the whole file, or a row. */
    private enum Kind {
        FAILED,
        BROKEN,
        UNREADABLE
    }

    private final Kind kind;

    public StoreException(String message) {
        this(message, null, Kind.FAILED);
    }

    public StoreException(String message, Throwable cause) {
        this(message, cause, Kind.FAILED);
    }

    StoreException(String message, @Nullable Throwable cause, boolean broken) {
        this(message, cause, broken ? Kind.BROKEN : Kind.FAILED);
    }

    private StoreException(String message, @Nullable Throwable cause, Kind kind) {
        super(message, cause);
        this.kind = kind;
    }

    /** Exception for a text that no Berth has written. */
    public static StoreException unreadable(String where, Throwable cause) {
        return new StoreException(
                where + " holds what Berth cannot have written: " + cause.getMessage(), cause, Kind.UNREADABLE);
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
        return kind == Kind.BROKEN;
    }

    /** Whether a text in a row that was read is none that Berth writes: no other try can go well, and other rows are sound. */
    public boolean isUnreadable() {
        return kind == Kind.UNREADABLE;
    }
}
