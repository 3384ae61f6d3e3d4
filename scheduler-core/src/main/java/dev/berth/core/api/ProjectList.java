package dev.berth.core.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a user's projects, by their names.
 *
 * @param next what to pass as {@code cursor} for the next page; null on the last one
 */
public record ProjectList(
        List<ProjectView> projects, @Nullable String next) {}
