package dev.berth.core.api;

import java.util.List;

/**
 * A step of the deletion of a project.
 *
 * @param user whose project it is, or was
 * @param deleted how many of its jobs this step has deleted
 * @param complete whether nothing of it is there any more; else it is asked for again
 * @param remaining the jobs that it came to and could not delete
 */
public record DeletedProject(String project, String user, long deleted, boolean complete, List<DeletedJob> remaining) {}
