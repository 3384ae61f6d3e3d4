package dev.berth.server.config;

/**
 * How much of what jobs write is kept.
 *
 * @param maxBytes of one job
 */
public record LogSettings(ByteSize maxBytes) {
    static LogSettings of(Values values) {
        return new LogSettings(values.get(Keys.LOG_MAX_BYTES));
    }
}
