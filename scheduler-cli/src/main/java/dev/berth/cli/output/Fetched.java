package dev.berth.cli.output;

/**
 * The output that {@code berth get} brought.
 *
 * @param id the job
 * @param number what people call it: its id, or {@code 42_7} for a task of an array
 * @param directory where it lies now
 * @param files how many files and links
 * @param bytes how many bytes they have
 */
public record Fetched(long id, String number, String directory, long files, long bytes) {}
