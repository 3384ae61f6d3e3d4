package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What some jobs told of themselves, in the order in which they were asked for.
 *
 * @param next how many of those asked for come before the next page; null on the last one
 */
public record TrackingList(
        List<TrackingView> jobs, @Nullable Long next) {}
