package dev.berth.cli.output;

/**
 * The output that {@code berth get} brought.
 *
 * @param id the job
 * @param directory where it lies now
 * @param files how many files and links
 * @param bytes how many bytes they have
 */
public record Fetched(long id, String directory, long files, long bytes) {}
