package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * Event {@code ended} of {@code GET /api/v1/jobs/{id}/lease}: it is finished, and the last event of the stream.
 *
 * @param state the final state
 * @param sentence how it ended
 * @param exitCode the program's exit code, null where there is none
 */
public record LeaseEnded(
        String state, String sentence, @Nullable Integer exitCode) {}
