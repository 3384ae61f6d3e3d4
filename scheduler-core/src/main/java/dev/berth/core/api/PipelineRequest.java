package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/pipelines}: jobs that are accepted all or none.
 *
 * @param jobs in the order of their places in the queue; one waits for another that stands before it by
 *     {@code KIND:#NUMBER} among its {@code dependencies}, where the first of the list has the number 1
 */
public record PipelineRequest(@Nullable List<@Nullable SubmitRequest> jobs) {}
