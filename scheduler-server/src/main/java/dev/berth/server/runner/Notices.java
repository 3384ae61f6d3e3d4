package dev.berth.server.runner;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.JobEvent;

/** The receiver of news about jobs: the loop. Never blocks, never refuses. */
@FunctionalInterface
public interface Notices {
    void post(JobId job, JobEvent event);
}
