package dev.berth.core.api;

import org.jspecify.annotations.Nullable;

/**
 * The request for a link that opens the page once.
 *
 * @param job the number of the job that it shows, null for the first screen
 */
public record LinkRequest(@Nullable String job) {}
