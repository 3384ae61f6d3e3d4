package dev.berth.core.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change of the tags of a job.
 *
 * @param set tags that it is to have, with their values, which may be empty; null for none
 * @param remove the names of tags that it is to have no more, before the others are set; null for none
 */
public record TagRequest(
        @Nullable Map<String, String> set, @Nullable List<String> remove) {}
