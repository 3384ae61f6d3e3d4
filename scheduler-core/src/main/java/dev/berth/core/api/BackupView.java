package dev.berth.core.api;

/**
 * A backup of the database that was made.
 *
 * @param file where it is on the server's machine
 */
public record BackupView(String file, String madeAt, long bytes) {}
