package dev.berth.cli.client;

import java.util.List;

/**
 * Which jobs to list.
 *
 * @param all every job, newest first; else the live ones and then the queue in its order
 * @param states only jobs in one of these; empty for any
 * @param limit how many at most, at least 1
 */
public record JobQuery(boolean all, List<String> states, int limit) {}
