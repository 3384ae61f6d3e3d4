package dev.berth.server.config;

import java.nio.file.Path;
import java.util.List;

/**
 * Which of the machine's directories jobs may use.
 *
 * @param allow the directories below which they may; empty for whatever the submitter may reach, but for the places that
 *     are never allowed
 * @param readOnly the directories below which they may read only
 */
public record MountSettings(boolean enabled, List<Path> allow, List<Path> readOnly) {
    public MountSettings {
        allow = List.copyOf(allow);
        readOnly = List.copyOf(readOnly);
    }

    static MountSettings of(Values values) {
        return new MountSettings(
                values.get(Keys.MOUNTS_ENABLED), values.get(Keys.MOUNTS_ALLOW), values.get(Keys.MOUNTS_READ_ONLY));
    }
}
