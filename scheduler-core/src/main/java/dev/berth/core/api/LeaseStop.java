package dev.berth.core.api;

/**
 * Event {@code stop} of {@code GET /api/v1/jobs/{id}/lease}: somebody, or its time limit, ends it.
 *
 * @param cause {@code CANCELLED}, {@code TIME_LIMIT}, {@code IDLE} or {@code DEVICE_LOST}
 * @param sentence who or what it was
 */
public record LeaseStop(String cause, String sentence) {}
