package dev.berth.core.api;

import java.util.List;

/**
 * The answer to {@code DELETE /api/v1/jobs/{id}}.
 *
 * @param remains what could not be removed, a sentence each; the job's record is kept as long as there is such
 */
public record DeletedJob(long id, List<String> remains) {}
