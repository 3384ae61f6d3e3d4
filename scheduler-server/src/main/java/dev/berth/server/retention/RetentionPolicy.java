package dev.berth.server.retention;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rules for how long ended jobs are kept.
 *
 * @param age how long after their end, or null for ever
 * @param jobs how many of them, or null for all
 * @param bytes how much their files may take in all, or null for any
 */
public record RetentionPolicy(
        @Nullable Duration age,
        @Nullable Integer jobs,
        @Nullable Long bytes) {}
