package dev.berth.server.runner.docker;

import dev.berth.core.job.JobId;
import dev.berth.core.machine.Attempt;
import dev.berth.core.machine.Effect.AdoptRun;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.machine.Effect.HoldRun;
import dev.berth.core.machine.Effect.OfRun;
import dev.berth.core.machine.Effect.ReadPack;
import dev.berth.core.machine.Effect.ReleaseRun;
import dev.berth.core.machine.Effect.SignalRun;
import dev.berth.core.machine.Effect.StartRun;
import dev.berth.core.machine.Effect.StopRun;
import dev.berth.core.machine.Effect.StopTask;
import dev.berth.core.machine.Effect.SweepRun;
import dev.berth.core.machine.Found;
import dev.berth.core.machine.Found.Condition;
import dev.berth.core.machine.JobEvent.RunGone;
import dev.berth.core.machine.JobEvent.SignalSent;
import dev.berth.core.machine.JobEvent.StartLost;
import dev.berth.core.machine.JobEvent.TasksTold;
import dev.berth.core.machine.RunnerKind;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineRetry;
import dev.berth.server.runner.Notices;
import dev.berth.server.runner.Runner;
import dev.berth.server.upkeep.Tasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runner of jobs in containers. Safe for any thread, as far as {@link Runner} asks for it. */
public final class DockerRunner implements Runner {
    private static final Logger LOG = LoggerFactory.getLogger(DockerRunner.class);

    private final ContainerEngine engine;
    private final ContainerParts parts;
    private final ContainerAttempts attempts;
    private final Packs packs;
    private final ContainerLogs logs;
    private final ContainerCreation creation;
    private final ContainerStart start;

    /** Earlier attempts of jobs that are over whose containers were still there. */
    private final Set<Attempt> leftToSweep = ConcurrentHashMap.newKeySet();

    /** Effects on containers of an engine; what an engine made too late is removed by the tasks. */
    public DockerRunner(ContainerEngine engine, ContainerParts parts, Notices notices, Tasks tasks) {
        this(engine, parts, notices, new EngineRetry(tasks)::runAfter);
    }

    /**
     * Effects on containers of an engine.
     *
     * @param later has work done after a while, until it is done
     */
    DockerRunner(
            ContainerEngine engine,
            ContainerParts parts,
            Notices notices,
            BiConsumer<Duration, BooleanSupplier> later) {
        this.engine = engine;
        this.parts = parts;
        this.packs = new Packs(parts, notices, later);
        this.logs = new ContainerLogs(engine, parts, notices, packs);
        this.attempts = new ContainerAttempts(engine, parts, notices, logs);
        this.creation = new ContainerCreation(attempts, engine, parts, later);
        this.start = new ContainerStart(attempts, engine, parts, logs);
    }

    /** Whether the start of an attempt was lost, so that Berth ends its program itself. */
    public boolean isGivenUp(Attempt attempt) {
        return attempts.isGivenUp(attempt);
    }

    @Override
    public void expect(OfRun effect) {
        switch (effect) {
            case StopRun stop -> attempts.forbid(stop.attempt());
            // What no job owns has no log, and that of what runs is known.
            case SweepRun _, SignalRun _, HoldRun _, StopTask _, ReadPack _ -> {}
            // The log grows from now on, or may; said at once, so that no reader takes it for complete.
            case CreateRun _, StartRun _, AdoptRun _, ReleaseRun _ ->
                parts.logs().expect(effect.job());
        }
    }

    /** The containers, and the files of those that are gone already: their release was begun, or is owed. */
    @Override
    public List<Found> list() {
        List<Found> found = new ArrayList<>(engine.list(parts.plans().names().server()));
        Set<Attempt> there = found.stream().map(Found::of).collect(Collectors.toSet());
        try {
            for (Attempt attempt : parts.workspaces().laidOut()) {
                if (!there.contains(attempt)) {
                    found.add(new Found(RunnerKind.CONTAINER, attempt, new Condition.FilesLeft(), List.of()));
                }
            }
        } catch (IOException e) {
            LOG.warn("what earlier jobs left of their workspaces cannot be listed: {}", e.getMessage());
        }
        return found;
    }

    @Override
    public boolean create(CreateRun effect) {
        return creation.create(effect);
    }

    @Override
    public boolean start(StartRun effect) {
        return start.start(effect);
    }

    @Override
    public boolean stop(StopRun stop) {
        Attempt attempt = stop.attempt();
        String name = attempts.name(attempt);
        engine.stop(name, stop.graceOr(parts.stopGrace()));
        Optional<Condition> condition = engine.inspect(name);
        if (condition.orElse(null) instanceof Condition.Exited exited) {
            attempts.tell(attempt, exited.of(attempt.number()));
        } else if (condition.orElse(null) instanceof Condition.Alive) {
            return false;
        } else if (condition.isEmpty()) {
            attempts.tell(attempt, attempts.gone(attempt));
        } else {
            attempts.removeAndTell(
                    attempt,
                    name,
                    attempts.isFresh(attempt) ? new RunGone(attempt.number()) : new StartLost(attempt.number()));
        }
        return true;
    }

    /** Does nothing once a stop is owed, so that no signal comes behind TERM, and no engine that fails at it delays the stop. */
    @Override
    public boolean signal(SignalRun signal) {
        Attempt attempt = signal.attempt();
        if (!attempts.isForbidden(attempt) && engine.signal(attempts.name(attempt), signal.signal())) {
            attempts.tell(attempt, new SignalSent(attempt.number(), signal.signal()));
        }
        return true;
    }

    @Override
    public boolean stopTask(StopTask stop) {
        Attempt attempt = stop.attempt();
        if (!attempts.isForbidden(attempt)) {
            packs.stop(attempt, stop.task());
            // One whose container has not begun looks by itself.
            engine.signal(attempts.name(attempt), PackPlan.WAKE);
        }
        return true;
    }

    /** No engine of containers has a queue. */
    @Override
    public boolean hold(HoldRun hold) {
        throw new IllegalStateException("job " + hold.job() + " has left the queue and cannot be set aside");
    }

    @Override
    public boolean adopt(AdoptRun adopt) {
        Attempt attempt = adopt.attempt();
        if (logs.isOpen(adopt.job())) {
            return true;
        }
        try {
            logs.listen(attempt, attempts.name(attempt), true);
            logs.begin(attempt);
        } catch (EngineException e) {
            if (e.kind() != EngineException.Kind.NOT_FOUND) {
                throw e;
            }
            attempts.tell(attempt, new RunGone(attempt.number()));
        }
        return true;
    }

    /**
     * Stops and removes what no job owns; its log and its files are not ours to touch, for a job of that number may
     * come back. The files of an earlier attempt of a job that is over since are.
     */
    @Override
    public boolean sweep(SweepRun sweep) {
        String name = attempts.name(sweep.attempt());
        engine.stop(name, parts.stopGrace());
        if (engine.inspect(name).orElse(null) instanceof Condition.Alive) {
            return false;
        }
        engine.remove(name);
        LOG.info("container {}, of which no job was known, is stopped and removed", name);
        if (leftToSweep.remove(sweep.attempt())) {
            discard(sweep.attempt());
        }
        attempts.tell(sweep.attempt(), new RunGone(sweep.attempt().number()));
        return true;
    }

    /**
     * Keeps what its log still holds. A container whose removal was begun and broken off, as by the end of the engine
     * in its middle, gives its log no more: what was there to be read was read before, or went with the one who removed
     * it.
     */
    private void keepTheRest(Attempt attempt, String name, Condition condition) {
        try {
            logs.keepTheRest(attempt, name, condition);
        } catch (EngineException e) {
            if (e.kind() != EngineException.Kind.NOT_FOUND) {
                throw e;
            }
            LOG.warn("job={} the engine does not give its log any more: {}", attempt.job(), e.sentence());
        }
    }

    /**
     * Removes the files of earlier attempts, of which a server that was killed may have owed that. Those of a container that
     * is there are in use until it is swept, and go with it.
     */
    private void discardEarlier(Attempt last) {
        for (int number = 1; number < last.number(); number++) {
            Attempt earlier = new Attempt(last.job(), number);
            boolean isLaidOut = Files.exists(parts.workspaces().of(earlier), LinkOption.NOFOLLOW_LINKS);
            if (isLaidOut && engine.inspect(attempts.name(earlier)).isEmpty()) {
                discard(earlier);
            } else if (isLaidOut) {
                leftToSweep.add(earlier);
            }
        }
    }

    private void discard(Attempt attempt) {
        try {
            parts.workspaces().discard(attempt);
        } catch (IOException e) {
            LOG.warn(
                    "job={} its workspace could not be removed, the next start tries again: {}",
                    attempt.job(),
                    e.getMessage());
        }
    }

    @Override
    public boolean readPack(ReadPack read) {
        Attempt attempt = read.attempt();
        endLate(attempts.name(attempt));
        attempts.tell(attempt, new TasksTold(attempt.number(), packs.close(attempt)));
        return true;
    }

    /** An engine may come late to what it was asked for. */
    private Optional<Condition> endLate(String name) {
        Optional<Condition> condition = engine.inspect(name);
        if (condition.orElse(null) instanceof Condition.Alive) {
            engine.stop(name, parts.stopGrace());
        }
        return condition;
    }

    @Override
    public boolean release(ReleaseRun release) {
        JobId job = release.job();
        Attempt attempt = release.attempt();
        String name = attempts.name(attempt);
        Optional<Condition> condition = endLate(name);
        boolean isCreated = condition.orElse(null) instanceof Condition.Created;
        if (condition.isPresent() && !isCreated) {
            keepTheRest(attempt, name, condition.get());
        }
        logs.close(job);
        if (isCreated) {
            attempts.discard(attempt, name);
        } else {
            engine.remove(name);
        }
        discard(attempt);
        discardEarlier(attempt);
        parts.logs().finish(job);
        attempts.forget(attempt);
        return true;
    }
}
