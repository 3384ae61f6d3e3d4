package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of jobs.
 *
 * @param next what to pass as {@code cursor} for the next page; null on the last one
 */
public record JobList(List<JobView> jobs, @Nullable Long next) {}
