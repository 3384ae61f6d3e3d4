package dev.berth.core.api;

import java.util.List;

/**
 * The result of a database check.
 *
 * @param problems what is wrong with it, a sentence each, the first twenty; none where it is whole
 * @param sentence the same in one, with what to do
 */
public record CheckView(String file, boolean whole, List<String> problems, String sentence) {}
