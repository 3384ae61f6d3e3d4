package dev.berth.server.store.database;

/** A backup was not made, or not brought back; the message is a sentence for people. Nothing was changed. */
public final class BackupException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kind of obstacle that was in the way. */
    public enum Kind {
        /** Another one is being made. */
        BUSY,
        /** There is something in its place. */
        FILE_EXISTS,
        /** There cannot be a file in that place. */
        BAD_PLACE,
        NO_SPACE,
        /** There are as many as there may be. */
        TOO_MANY_BACKUPS,
        /** What was to be brought back is none, or is damaged. */
        BAD_BACKUP,
        FAILED
    }

    private final Kind kind;

    BackupException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** The sentence about what was in the way, for people. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
