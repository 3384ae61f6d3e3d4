package dev.berth.core.api;

import java.util.List;

/**
 * The server, what its GPUs did lately, and the jobs, all as of one moment.
 *
 * @param history of each GPU of the server, in their order
 * @param jobs a page of those that run and wait
 */
public record OverviewView(ServerView server, List<GpuHistoryView> history, JobList jobs) {}
