package dev.berth.server.code;

import java.util.Map;

/** An upload that is refused; the message says what is wrong with it, for people. */
public final class SnapshotException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kind of thing that is wrong. */
    public enum Kind {
        /** The manifest is none, or names what has no business in a snapshot. */
        BAD_SNAPSHOT,
        /** A content is not what it was said to be, or not one that is wanted. */
        INVALID_CONTENT,
        /** More than one snapshot may hold. */
        TOO_LARGE,
        /** More than one user may keep. */
        QUOTA_EXCEEDED
    }

    private final Kind kind;
    private final transient Map<String, String> details;

    private SnapshotException(Kind kind, String message, Map<String, String> details) {
        super(message);
        this.kind = kind;
        this.details = details;
    }

    static SnapshotException malformed(String message) {
        return new SnapshotException(Kind.BAD_SNAPSHOT, message, Map.of());
    }

    static SnapshotException invalidContent(String message) {
        return new SnapshotException(Kind.INVALID_CONTENT, message, Map.of());
    }

    /** The failure of the content that was sent under this digest. */
    static SnapshotException invalidContent(String digest, String message) {
        return new SnapshotException(
                Kind.INVALID_CONTENT, "content " + digest + " " + message, Map.of("digest", digest));
    }

    static SnapshotException tooLarge(String message) {
        return new SnapshotException(Kind.TOO_LARGE, message, Map.of());
    }

    static SnapshotException overQuota(long needed, long used, long quota) {
        return new SnapshotException(
                Kind.QUOTA_EXCEEDED,
                "it needs " + UploadLimits.inWords(needed)
                        + " more on the server's disk, where your directories take "
                        + UploadLimits.inWords(used) + " of the " + UploadLimits.inWords(quota)
                        + " that one user may have; keep data and results out of the directory (.berthignore), or ask"
                        + " who runs the server for room",
                Map.of(
                        "needed", Long.toString(needed),
                        "used", Long.toString(used),
                        "quota", Long.toString(quota)));
    }

    public Kind kind() {
        return kind;
    }

    /** For programs: which digest, which numbers. */
    public Map<String, String> details() {
        return details;
    }

    /** The sentence about what is wrong with the upload. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
