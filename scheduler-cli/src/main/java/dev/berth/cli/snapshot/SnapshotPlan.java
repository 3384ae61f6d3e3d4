package dev.berth.cli.snapshot;

import java.nio.file.Path;
import java.util.List;

/**
 * The plan of a snapshot: what it will hold.
 *
 * @param root the directory, without symbolic links in its path
 * @param entries sorted as a manifest is, each directory before what is in it
 * @param files how many regular files there are
 * @param bytes how many bytes they have
 * @param skipped what was left out, by its path below the directory
 */
public record SnapshotPlan(Path root, List<DirectoryEntry> entries, long files, long bytes, List<String> skipped) {}
