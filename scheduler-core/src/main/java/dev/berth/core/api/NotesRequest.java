package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The notes that a project is to have.
 *
 * @param user whose project it is; null for the caller's
 * @param notes empty to remove them
 */
public record NotesRequest(
        @Nullable String project,
        @Nullable String user,
        @Nullable String notes) {}
