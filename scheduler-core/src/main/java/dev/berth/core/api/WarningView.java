package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * A warning about a job: what somebody should know of it beside its state.
 *
 * @param code the stable code for programs, such as {@code GPU_CONFLICT}
 * @param sentence for people
 * @param since when that began
 * @param until since when it is not so any more, null while it is
 */
public record WarningView(
        String code,
        String sentence,
        String since,
        @Nullable String until) {}
