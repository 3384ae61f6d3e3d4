package dev.berth.server.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long ended jobs are kept; null for no such limit. */
public record RetentionSettings(
        @Nullable Duration age,
        @Nullable ByteSize size,
        @Nullable Integer jobs) {
    static RetentionSettings of(Values values) {
        return new RetentionSettings(
                values.find(Keys.RETENTION_AGE), values.find(Keys.RETENTION_SIZE), values.find(Keys.RETENTION_JOBS));
    }
}
