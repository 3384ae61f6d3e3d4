package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The new name of a project.
 *
 * @param project the name that it has
 * @param name the new one
 * @param merge whether it may be the name of another project of the same user, which then has the jobs of both
 * @param user whose project it is; null for the caller's
 */
public record RenameRequest(
        @Nullable String project,
        @Nullable String name,
        boolean merge,
        @Nullable String user) {}
