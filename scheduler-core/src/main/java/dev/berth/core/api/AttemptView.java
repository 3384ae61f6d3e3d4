package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a job after which it began another.
 *
 * @param attempt its number, from 1
 * @param state how it ended, one of the names of final states
 * @param reason the stable code of that
 * @param sentence one true sentence about it
 * @param exitCode the program's exit code, null where there is none
 * @param retried whether what began then was one of the job's retries; else the job was queued again as the machine had lost it
 * @param gpuUuids the GPUs that it held, or that its pack did
 * @param gpuIndices the same by index, for people; "other" for one that this server does not allocate
 * @param packNumber what people call the pack that it was in, as {@code 42_[0-4]}; null for one with a container of its own
 * @param startedAt when its program started, null where nobody knows that it did
 * @param ranSeconds for how long that ran, by a clock that nobody sets
 */
public record AttemptView(
        int attempt,
        String state,
        String reason,
        String sentence,
        @Nullable Integer exitCode,
        boolean retried,
        List<String> gpuUuids,
        List<String> gpuIndices,
        @Nullable String packNumber,
        @Nullable String startedAt,
        String endedAt,
        long ranSeconds) {}
