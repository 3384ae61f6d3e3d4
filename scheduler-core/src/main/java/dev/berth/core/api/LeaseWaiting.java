package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * Event {@code waiting} of {@code GET /api/v1/jobs/{id}/lease}: its turn has not come.
 *
 * @param state {@code QUEUED}, {@code HELD} or {@code STARTING}
 * @param reason the stable code of why it waits
 * @param sentence one true sentence about it
 */
public record LeaseWaiting(String state, @Nullable String reason, String sentence) {}
