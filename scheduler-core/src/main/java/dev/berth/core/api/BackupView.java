package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * A backup of the database that was made.
 *
 * @param file where it is on the server's machine
 * @param trackingFile the second file of it beside that, with what jobs told of themselves; null where they told nothing
 */
public record BackupView(
        String file, String madeAt, long bytes, @Nullable String trackingFile) {}
