package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * Why a job stands where it stands.
 *
 * @param reason the stable code, null while it runs
 * @param sentence the one true sentence
 */
public record Explanation(long id, String state, @Nullable String reason, String sentence) {}
