package dev.berth.server.store.database;

/** A backup was not made, or not brought back; the message is a sentence for people. Nothing was changed. */
public final class BackupException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kind of obstacle that was in the way. */
    public enum Kind {
        /** Another one is being made. */
        BUSY,
        /** Something is in its place. */
        FILE_EXISTS,
        /** No file can be in that place. */
        BAD_PLACE,
        NO_SPACE,
        /** As many backups are there as there may be. */
        TOO_MANY_BACKUPS,
        /** The file that was to be brought back is no backup, or is damaged. */
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
