package dev.berth.server.runner.docker;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.EngineRun;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobState;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.LaunchRefused;
import dev.berth.core.machine.JobEvent.RunCreated;
import dev.berth.core.machine.JobEvent.RunStarted;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.server.mount.Granted;
import dev.berth.server.mount.MountException;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.Runner;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the containers of attempts, each program at most once. Safe for any thread, as far as {@link Runner} asks for
 * it.
 */
final class ContainerStart {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerStart.class);

    /** The kinds of failure that say that the engine did not do what it was asked. */
    private static final Set<EngineException.Kind> ANSWERS =
            EnumSet.of(EngineException.Kind.REFUSED, EngineException.Kind.NOT_FOUND, EngineException.Kind.FAILING);

    private final ContainerAttempts attempts;
    private final ContainerEngine engine;
    private final ContainerParts parts;
    private final ContainerLogs logs;

    ContainerStart(ContainerAttempts attempts, ContainerEngine engine, ContainerParts parts, ContainerLogs logs) {
        this.attempts = attempts;
        this.engine = engine;
        this.parts = parts;
        this.logs = logs;
    }

    boolean start(StartRun launch) {
        Attempt attempt = launch.attempt();
        String name = attempts.name(attempt);
        if (attempts.owed(attempt) instanceof StartLost lost) {
            loseAndTest(launch, name, lost.said());
            return true;
        }
        Optional<Condition> earlier = engine.inspect(name);
        if (isReported(attempt, earlier) || attempts.isForbidden(attempt)) {
            return true;
        }
        boolean hasFailed = earlier.orElse(null) instanceof Condition.Created created && created.hasFailed();
        try {
            return launch(launch, name, hasFailed);
        } catch (MountException e) {
            attempts.tell(attempt, new LaunchRefused(attempt.number(), e.sentence()));
            return true;
        }
    }

    /**
     * Whether the engine's record of what was made says more than that, so that the job has heard what became of it.
     */
    private boolean isReported(Attempt attempt, Optional<Condition> condition) {
        if (condition.isEmpty()) {
            // It may have run before it was removed.
            attempts.tell(attempt, attempts.gone(attempt));
        } else if (!(condition.get() instanceof Condition.Created)) {
            attempts.report(attempt, condition.get());
        }
        return !(condition.orElse(null) instanceof Condition.Created);
    }

    /**
     * Launches an attempt. What is mounted is looked at again for each start, also of a container that an earlier
     * server created.
     *
     * @param hasFailed whether the engine says that a start failed; where this server has heard no such answer, nobody
     *     knows whether it was a no
     */
    private boolean launch(StartRun launch, String name, boolean hasFailed) {
        Job job = launch.launch();
        Attempt attempt = launch.attempt();
        boolean isFirst = attempts.isFresh(attempt);
        if (!isFirst && (hasFailed || !engine.run().isSameAs(launch.engine()))) {
            // Before anything else is looked at, which could refuse the launch: its program may run.
            lose(attempt, name);
            return true;
        }
        try (Granted _ = parts.mounts().grant(name, job.spec().container().mounts(), job.owner())) {
            if (isFirst) {
                logs.listen(attempt, name, false);
            }
            EngineRun now = engine.run();
            if (isFirst && !now.equals(launch.engine())) {
                // It provably has not begun: this run is asked once the store knows of it.
                attempts.tell(attempt, new RunCreated(attempt.number(), now));
                return true;
            }
            if (!isFirst && !now.isSameAs(launch.engine())) {
                lose(attempt, name);
                return true;
            }
            attempts.removeFresh(attempt);
            try {
                engine.start(name);
            } catch (EngineException e) {
                return startRefused(attempt, launch, name, e);
            }
            if (!isFirst) {
                // An earlier try may have reached the engine: it knows when, and the program may have written before
                // this.
                return isReported(attempt, engine.inspect(name));
            }
            attempts.tell(
                    attempt, new RunStarted(attempt.number(), parts.clock().instant()));
            logs.begin(attempt);
            return true;
        }
    }

    /**
     * Gives a start up as lost. What an engine says of a start in whose middle it ended is no proof: the start is not
     * repeated. The container goes with its release.
     */
    private void lose(Attempt attempt, String name) {
        attempts.giveUp(attempt);
        engine.stop(name, parts.stopGrace());
        warnOfLoss(attempt);
        tellOfLoss(attempt, new StartLost(attempt.number()));
    }

    /** Says in the log, behind all that may have to be done again, that the start is lost, and tells of it. */
    private void tellOfLoss(Attempt attempt, StartLost loss) {
        logs.sayThatStartWasLost(attempt);
        attempts.tell(attempt, loss);
    }

    private static void warnOfLoss(Attempt attempt) {
        LOG.warn(
                "job={} the engine, a part of it or the connection to it ended while it was to start its program, which may"
                        + " have run",
                attempt.job());
    }

    /**
     * Gives a start up as lost, and doubts the engine. What is broken at the engine's, or at GPUs, may stay so: the
     * next job waits where Berth's own test container does not start either.
     */
    private void loseAndDoubt(StartRun launch, String name, @Nullable String said) {
        parts.starts().doubt();
        warnOfLoss(launch.attempt());
        attempts.owe(launch.attempt(), new StartLost(launch.attempt().number(), said));
        loseAndTest(launch, name, said);
    }

    /** Nothing of it may run when its GPUs are tried, and they are its own until it is told of. */
    private void loseAndTest(StartRun launch, String name, @Nullable String said) {
        Attempt attempt = launch.attempt();
        attempts.giveUp(attempt);
        engine.stop(name, parts.stopGrace());
        Allocation allocation = allocation(launch.launch());
        StartCheck.Verdict _ = parts.starts().engine();
        tellOfLoss(attempt, new StartLost(attempt.number(), said, parts.starts().faults(allocation)));
    }

    /**
     * The container is removed once the refusal is committed: a server that found it missing before would believe that
     * it had run. One that runs although its start was refused is looked at again.
     *
     * @return whether the job has heard what became of it
     */
    private boolean startRefused(Attempt attempt, StartRun launch, String name, EngineException failure) {
        if (failure.kind() == EngineException.Kind.BEGUN) {
            LOG.warn("job={} the engine does not know how far its start came: {}", attempt.job(), failure.sentence());
            loseAndDoubt(launch, name, failure.sentence());
            return true;
        }
        if (ANSWERS.contains(failure.kind()) && isCreated(name)) {
            EngineRun now = engine.run();
            if (!now.equals(launch.engine())) {
                // One whose containerd has ended meanwhile does not know.
                loseAndDoubt(launch, name, null);
                return true;
            }
            if (failure.kind() == EngineException.Kind.FAILING && !now.isSameAs(launch.engine())) {
                // It says that it did not begin; whether the same engine is asked the next time cannot be known.
                engine.stop(name, parts.stopGrace());
                attempts.tell(attempt, attempts.refusal(attempt, allocation(launch.launch()), failure));
                return true;
            }
            // The engine itself says that it did not start it, so that also its next run may be asked.
            attempts.addFresh(attempt);
        }
        // Put off or refused: what was asked to start is not started a second time.
        LaunchFailures.Verdict _ =
                attempts.verdict(attempt, launch.launch().owner().uid(), failure);
        Optional<Condition> condition = engine.inspect(name);
        boolean isLate = failure.kind() == EngineException.Kind.LATE;
        if (condition.isEmpty()) {
            LOG.warn("job={} its program may have begun and is gone: {}", attempt.job(), failure.sentence());
            attempts.tell(attempt, attempts.gone(attempt));
            return true;
        }
        if (isLate && condition.get() instanceof Condition.Created) {
            refuseLate(attempt, launch, name, failure);
            return true;
        }
        boolean hasNotRun = condition.get() instanceof Condition.Created
                || (condition.get() instanceof Condition.Exited exited && exited.startedAt() == null);
        if (hasNotRun) {
            attempts.tell(attempt, attempts.refusal(attempt, allocation(launch.launch()), failure));
        }
        return hasNotRun;
    }

    private boolean isCreated(String name) {
        return engine.inspect(name).orElse(null) instanceof Condition.Created;
    }

    /**
     * Refuses a launch that the engine was late with. The container may still start, and its GPUs are another job's
     * as soon as the job has heard: the one exception.
     */
    private void refuseLate(Attempt attempt, StartRun launch, String name, EngineException failure) {
        if (!engine.run().isSameAs(launch.engine())) {
            lose(attempt, name);
            return;
        }
        attempts.removeAndTell(
                attempt,
                name,
                new LaunchRefused(attempt.number(), "the container could not be started: " + failure.sentence()));
    }

    private static Allocation allocation(Job launch) {
        return launch.state() instanceof JobState.Live live ? live.allocation() : Allocation.NONE;
    }
}
