package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/gpus/{gpu}/drain}: take it out of service.
 *
 * @param reason why, for everybody who asks; null for none
 */
public record DrainRequest(@Nullable String reason) {}
