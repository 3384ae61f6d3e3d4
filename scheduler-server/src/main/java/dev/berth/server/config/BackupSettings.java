package dev.berth.server.config;

import java.time.Duration;

/**
 * The backups that the server makes by itself.
 *
 * @param keep how many of them there are at the most; 0 for none at all
 */
public record BackupSettings(int keep, Duration every) {
    static BackupSettings of(Values values) {
        return new BackupSettings(values.get(Keys.BACKUPS_KEEP), values.get(Keys.BACKUPS_EVERY));
    }
}
