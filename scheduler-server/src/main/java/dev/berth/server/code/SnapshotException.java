package dev.berth.server.code;

/** An upload that is refused; the message says what is wrong with it, for people. */
public final class SnapshotException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean tooLarge;

    private SnapshotException(String message, boolean tooLarge) {
        super(message);
        this.tooLarge = tooLarge;
    }

    static SnapshotException malformed(String message) {
        return new SnapshotException(message, false);
    }

    static SnapshotException tooLarge(String message) {
        return new SnapshotException(message, true);
    }

    public boolean isTooLarge() {
        return tooLarge;
    }

    /** What is wrong with the upload. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
