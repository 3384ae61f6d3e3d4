package dev.berth.core.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/jobs}: what somebody wants to run.
 *
 * @param name what to call the job; null for the command's first word
 * @param project what it belongs to; null for the snapshot's directory name, which the client knows
 * @param command the program and its arguments; a first word that ends in {@code .py} is run by the image's Python
 * @param snapshot the digest that {@code POST /api/v1/snapshots} answered
 * @param image the container image; null for the server's default
 * @param gpus how many GPUs; null for none
 * @param environment variables for the program; null for none
 * @param timeLimitSeconds how long it may run; null for no limit
 */
public record SubmitRequest(
        @Nullable String name,
        @Nullable String project,
        @Nullable List<String> command,
        @Nullable String snapshot,
        @Nullable String image,
        @Nullable Integer gpus,
        @Nullable Map<String, String> environment,
        @Nullable Long timeLimitSeconds) {}
