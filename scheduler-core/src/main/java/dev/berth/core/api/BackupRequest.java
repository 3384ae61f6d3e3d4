package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * Asks for a backup of the database.
 *
 * @param file where on the server's machine, a path from {@code /} on; null for the data directory's own place
 */
public record BackupRequest(@Nullable String file) {}
