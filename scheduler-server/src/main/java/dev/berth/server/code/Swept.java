package dev.berth.server.code;

/**
 * The counts of what a sweep removed.
 *
 * @param snapshots manifests, also those whose contents never came
 * @param contents files' contents
 * @param partials what was being received when a server ended
 * @param bytes what all that took on the disk
 */
public record Swept(long snapshots, long contents, long partials, long bytes) {
    static final Swept NOTHING = new Swept(0, 0, 0, 0);

    Swept plus(Swept other) {
        return new Swept(
                snapshots + other.snapshots, contents + other.contents, partials + other.partials, bytes + other.bytes);
    }

    public boolean isNothing() {
        return equals(NOTHING);
    }

    /** For the log. */
    @Override
    public String toString() {
        return "snapshots=" + snapshots + " contents=" + contents + " partials=" + partials + " bytes=" + bytes;
    }
}
