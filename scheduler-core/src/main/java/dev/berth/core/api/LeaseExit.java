package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/jobs/{id}/lease/exit}: how the program ended.
 *
 * @param attempt that of {@code granted}
 * @param exitCode 0 to 255; 128 + n for signal n
 */
public record LeaseExit(@Nullable Integer attempt, @Nullable Integer exitCode) {}
