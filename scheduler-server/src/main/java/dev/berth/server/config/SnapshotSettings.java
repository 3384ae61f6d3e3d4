package dev.berth.server.config;

/**
 * How large submitted directories may be.
 *
 * @param quota how much those of one user may take together
 */
public record SnapshotSettings(ByteSize maxBytes, int maxFiles, ByteSize quota) {
    static SnapshotSettings of(Values values) {
        return new SnapshotSettings(
                values.get(Keys.SNAPSHOT_MAX_BYTES),
                values.get(Keys.SNAPSHOT_MAX_FILES),
                values.get(Keys.SNAPSHOT_QUOTA));
    }
}
