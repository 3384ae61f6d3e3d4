package dev.berth.server.container;

import dev.berth.core.job.JobId;
import dev.berth.core.job.JobState.Running;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.JobEvent.ContainerExited;
import dev.berth.core.machine.JobEvent.ContainerGone;
import dev.berth.core.machine.JobEvent.ContainerStarted;
import dev.berth.core.machine.JobEvent.EngineStopped;
import dev.berth.core.machine.Machine;
import dev.berth.server.container.ContainerEngine.ContainerListener;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Passes starts and exits on to the loop, and looks for itself after the engine was out of sight. */
public record ContainerNews(
        ContainerEngine engine, String server, Notices notices, Supplier<Machine> machine, Look look)
        implements ContainerListener {

    /** Where a look at the whole engine goes: the loop's inbox. */
    @FunctionalInterface
    public interface Look {
        /**
         * Called after each look, at all containers or at one.
         *
         * @param running the jobs that ran before it
         */
        void took(Set<JobId> running, List<Found> containers);
    }

    @Override
    public void started(JobId job, int attempt, Instant at) {
        notices.post(job, new ContainerStarted(attempt, at));
    }

    @Override
    public void exited(JobId job, int attempt, int exitCode, boolean outOfMemory, Instant at) {
        notices.post(job, new ContainerExited(attempt, exitCode, outOfMemory, null, at));
    }

    @Override
    public void endedWithEngine(JobId job, int attempt, int exitCode, Instant at) {
        notices.post(job, new EngineStopped(attempt, exitCode, at));
    }

    @Override
    public void removed(JobId job, int attempt) {
        notices.post(job, new ContainerGone(attempt));
    }

    @Override
    public void unheard(Found container) {
        look.took(Set.of(container.job()), List.of(container));
    }

    @Override
    public void resumed() {
        Set<JobId> running = machine.get().live().values().stream()
                .filter(job -> job.state() instanceof Running && !job.spec().isHost())
                .map(job -> job.id())
                .collect(Collectors.toUnmodifiableSet());
        look.took(running, engine.list(server));
    }
}
