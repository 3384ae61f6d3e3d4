package dev.berth.cli.output;

import dev.berth.core.api.JobView;
import dev.berth.core.api.ServerView;
import java.util.List;

/**
 * What {@code berth status} shows.
 *
 * @param user whose jobs are shown
 * @param jobs that user's jobs that run or wait
 */
public record Overview(ServerView server, String user, List<JobView> jobs) {}
