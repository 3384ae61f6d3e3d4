package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * A project.
 *
 * @param user whose it is; null for the caller's
 */
public record ProjectRequest(
        @Nullable String project, @Nullable String user) {}
