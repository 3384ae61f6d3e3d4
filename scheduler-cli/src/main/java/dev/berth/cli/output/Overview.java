package dev.berth.cli.output;

import dev.berth.core.api.JobView;
import dev.berth.core.api.ServerView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The overview that {@code berth status} shows.
 *
 * @param user whose jobs are shown
 * @param jobs that user's jobs that run or wait
 * @param first the job that is first in the queue; null where none waits that the user may see
 */
public record Overview(
        ServerView server,
        String user,
        List<JobView> jobs,
        @Nullable JobView first) {}
