package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The answer to the posts to a lease.
 *
 * @param state the job's state as they found it
 * @param stop {@code CANCELLED}, {@code TIME_LIMIT}, {@code IDLE} or {@code DEVICE_LOST} where it is being ended, else null
 */
public record LeaseState(String state, @Nullable String stop) {}
