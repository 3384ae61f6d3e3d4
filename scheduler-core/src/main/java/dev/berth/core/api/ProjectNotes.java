package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The notes of a project.
 *
 * @param user whose project it is
 * @param notes any text, empty for none
 * @param changedAt when they were written; null where there are none
 */
public record ProjectNotes(
        String project, String user, String notes, @Nullable String changedAt) {}
