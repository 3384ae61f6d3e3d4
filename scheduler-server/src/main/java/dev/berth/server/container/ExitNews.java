package dev.berth.server.container;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.Recovery.Condition;
import dev.berth.core.machine.Recovery.Found;
import dev.berth.server.container.ContainerEngine.ExitListener;
import java.time.Instant;

/** Passes exits on to the loop, and looks for itself after the engine was out of sight. */
public record ExitNews(ContainerEngine engine, String server, Notices notices) implements ExitListener {
    @Override
    public void exited(JobId job, int attempt, int exitCode, boolean outOfMemory, Instant at) {
        notices.post(job, new ContainerExited(attempt, exitCode, outOfMemory, at));
    }

    /** An exit told twice is ignored the second time. */
    @Override
    public void resumed() {
        for (Found found : engine.list(server)) {
            if (found.condition() instanceof Condition.Exited(int exitCode, boolean outOfMemory, Instant endedAt)) {
                exited(found.job(), found.attempt(), exitCode, outOfMemory, endedAt);
            }
        }
    }
}
